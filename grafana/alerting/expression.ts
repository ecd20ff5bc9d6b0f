import { labelList } from '../series.ts';
import type { AlertRule, InhibitRule } from './source.ts';

const STATION = labelList('account', 'station_id');
const DEVICE = labelList('account', 'station_id', 'device_id');

/**
 * Gives the alerts of an expression the labels `device` and `station`, the names of what they are about: a template
 * of Grafana cannot look them up. What has no name has no such label.
 */
export function withNames({ expr, annotations }: AlertRule): string {
  const texts = Object.values(annotations).join('\n');
  const alerts = `(\n${indented(expr.trim())}\n)`;
  const parts = [alerts];
  if (texts.includes('solar_device_info')) {
    const info = 'solar_device_info{name!=""}';
    // A device that is missing now has a name of yesterday.
    const shown = texts.includes('(solar_device_info') ? `last_over_time(${info}[1d])` : info;
    parts.push(`* on ${DEVICE} group_left (device) (`);
    parts.push(
      indented(`${names('device', DEVICE, shown)}\nor on ${DEVICE} group by ${DEVICE} ${alerts}`),
    );
    parts.push(')');
  }
  if (texts.includes('solar_station_info')) {
    parts.push(`* on ${STATION} group_left (station) (`);
    const shown = names('station', STATION, 'solar_station_info{name!=""}');
    parts.push(indented(`${shown}\nor on ${STATION} group by ${STATION} ${alerts}`));
    parts.push(')');
  }
  return parts.length === 1 ? expr.trim() : parts.join('\n');
}

/** One name for each, also where two exporters say another one. */
function names(label: string, by: string, info: string): string {
  const named = `label_replace(${info}, "${label}", "$1", "name", "(.+)")`;
  return `topk by ${by} (1, max by ${by.replace(')', `, ${label})`)} (${named}))`;
}

/** Keeps an alert back while one fires that it follows from: Grafana itself cannot. */
export function inhibited(
  expression: string,
  alert: string,
  rules: readonly InhibitRule[],
): string {
  const sources = rules.filter(({ target_matchers: [target] }) =>
    (/"(.*)"/.exec(target)?.[1] ?? '').split('|').includes(alert),
  );
  if (sources.length === 0) return expression;
  const unless = sources.map(
    ({ source_matchers: [source], equal }) =>
      `unless on ${labelList(...equal)} ALERTS{alertstate="firing", ${source}}`,
  );
  return [`(\n${indented(expression)}\n)`, ...unless].join('\n');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
