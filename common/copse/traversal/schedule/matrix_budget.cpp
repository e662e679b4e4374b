#include <copse/backend/error.hpp>
#include <copse/traversal/schedule/matrix_budget.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <algorithm>
#include <string>

namespace copse {

namespace {
constexpr Count packet = 32;

constexpr Count packets_of(Count queries) {
  return (queries + packet - 1) / packet;
}
}  // namespace

Count matrix_row_bytes(MatrixKind kind, Count columns) {
  return kind == MatrixKind::visits ? visit_words(columns) * sizeof(VisitWord)
                                    : columns * sizeof(Step);
}

BatchPlan plan_batches(MatrixKind kind, Count queries, Count columns, Count available,
                       Count wanted) {
  if (queries == 0) return {};
  const Count packet_bytes = std::max<Count>(1, packet * matrix_row_bytes(kind, columns));
  const Count packets = packets_of(queries);
  const auto plan_of = [&](Count batch_packets, Count buffers) {
    const Count batches = (packets + batch_packets - 1) / batch_packets;
    return BatchPlan{queries, batch_packets * packet, batches, buffers};
  };
  if (wanted <= 1 && packets <= available / packet_bytes) return plan_of(packets, 1);
  if (packets == 1) {
    if (available < packet_bytes)
      throw InputError("the scheduling matrix of " + std::to_string(queries) + " queries needs " +
                       std::to_string(packet_bytes) + " bytes, but only " +
                       std::to_string(available) + " are available");
    return plan_of(1, 1);
  }
  const Count fit = available / (2 * packet_bytes);
  if (fit == 0)
    throw InputError("the scheduling matrix needs at least " + std::to_string(2 * packet_bytes) +
                     " bytes, for two batches of " + std::to_string(packet) +
                     " queries, but only " + std::to_string(available) + " are available");
  const Count most = wanted <= 1 ? packets : std::max<Count>(1, packets / wanted);
  return plan_of(std::min(fit, most), 2);
}

}  // namespace copse
