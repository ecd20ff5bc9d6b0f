import { deviceCount, everyStation, perDevice, perStation } from './expressions.ts';

/** Adds up the selected devices; where one has no value, the label `coverage` says how many. */
export function houseSum(expression: string): string {
  return houseSumOf(expression, 'sum(%)');
}

/** Like {@link houseSum}, of an expression in which `%` stands for the {@link perDevice} values. */
export function houseSumOf(expression: string, template: string): string {
  const values = perDevice(expression);
  const missing = `${deviceCount()} - count(${values})`;
  return remarked(template.replaceAll('%', values), missing, 'devices');
}

/** Adds up the selected stations; where one has no value, the label `coverage` says how many. */
export function stationSum(expression: string): string {
  const values = perStation(expression);
  const missing = `count(${everyStation()}) - count(${values})`;
  return remarked(`sum(${values})`, missing, 'stations');
}

/** The sum with a label that a person reads beside it, only where something is missing. */
function remarked(sum: string, missing: string, what: string): string {
  const counted = `count_values("coverage", (${missing}) > 0)`;
  const told = `label_replace(${counted}, "coverage", ", without $1 of the ${what}", "coverage", "(.+)")`;
  return `(${sum}) * on () group_left (coverage) ${told} or on () (${sum})`;
}
