/** Which of two sessions makes each step. */
export type Order = readonly (0 | 1)[];

/** Every order of two sessions that make so many steps each, in which each keeps its own order of steps. */
export function ordersOf(left: number, right: number): Order[] {
  if (left === 0) return [Array.from({ length: right }, () => 1 as const)];
  if (right === 0) return [Array.from({ length: left }, () => 0 as const)];
  return [...ordersOf(left - 1, right).map((rest): Order => [0, ...rest]), ...ordersOf(left, right - 1).map((rest): Order => [1, ...rest])];
}
