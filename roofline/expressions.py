"""Evaluates arithmetic in work models: numbers, names, + - * / ** comparisons, and, or, not,
`a if b else c`, and calls of the given functions. Everything else is an error."""

import ast
import math
import operator

FUNCTIONS = {"min": min, "max": max, "ceil": math.ceil, "floor": math.floor, "log2": math.log2,
             "sqrt": math.sqrt, "cbrt": lambda x: x ** (1 / 3)}

_BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
           ast.Div: operator.truediv, ast.Pow: operator.pow}
_COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
            ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


class BadExpression(Exception):
    """One sentence: an expression is malformed, or a name is missing."""


def evaluate(text, names):
    """The value of an expression; `names` maps names to values or functions.

    A value may be a callable without arguments, which is evaluated on use: see `Lazy`.
    """
    try:
        tree = ast.parse(text, mode="eval")
        return _value(tree.body, names)
    except (SyntaxError, TypeError, ZeroDivisionError, ValueError) as error:
        raise BadExpression(f"'{text}': {error}") from None
    except BadExpression as error:
        raise BadExpression(f"'{text}': {error}") from None


class Lazy:
    """A name whose value is another expression."""

    def __init__(self, text):
        self.text = text


def _name(node, names):
    if node.id not in names:
        raise BadExpression(f"no value is called {node.id}")
    value = names[node.id]
    return evaluate(value.text, names) if isinstance(value, Lazy) else value


def _value(node, names):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return _name(node, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(node.operand, names)
    if isinstance(node, ast.BoolOp):
        value = None
        for part in node.values:
            value = _value(part, names)
            if bool(value) == isinstance(node.op, ast.Or):
                return value
        return value
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        return _COMPARE[type(node.ops[0])](_value(node.left, names),
                                           _value(node.comparators[0], names))
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = FUNCTIONS.get(node.func.id) or names.get(node.func.id)
        if not callable(function):
            raise BadExpression(f"no function is called {node.func.id}")
        return function(*(_value(a, names) for a in node.args))
    raise BadExpression("only numbers, names, arithmetic and conditions are understood")
