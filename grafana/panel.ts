import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  type DynamicConfigValue,
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type Panel,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { type Colour, STATES } from './colours.ts';
import { DATASOURCE } from './datasource.ts';
import type { Unit } from './units.ts';

/** Shown where nothing is known; unknown is never 0. It is short, because numbers are written large. */
export const NO_VALUE = '–';

/** The texts and units of a panel. */
export interface About {
  readonly title: string;
  /** One or two plain sentences. */
  readonly description: string;
  /** None for a table: Grafana would read its texts as numbers. */
  readonly unit?: Unit;
  readonly decimals?: number;
  readonly min?: number;
  readonly max?: number;
  /** The shortest step, for values that change seldom. */
  readonly interval?: string;
  /** How many steps there are at most. */
  readonly maxDataPoints?: number;
  readonly mappings?: readonly ValueMapping[];
  readonly thresholds?: Builder<ThresholdsConfig>;
}

/** One query of a panel. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
  readonly colour?: Colour;
  /** Further ways in which its series differ from the panel. */
  readonly properties?: readonly DynamicConfigValue[];
}

/** How the queries of a panel run: at the end of the range, along it, or as rows of a table. */
export type Asking = 'instant' | 'range' | 'table';

/** The methods that the builders of value panels share. */
interface ValuePanelBuilder extends Builder<Panel> {
  title(title: string): unknown;
  description(description: string): unknown;
  datasource(datasource: typeof DATASOURCE): unknown;
  unit(unit: string): unknown;
  decimals(decimals: number): unknown;
  min(min: number): unknown;
  max(max: number): unknown;
  interval(interval: string): unknown;
  maxDataPoints(maxDataPoints: number): unknown;
  mappings(mappings: ValueMapping[]): unknown;
  thresholds(thresholds: Builder<ThresholdsConfig>): unknown;
  noValue(noValue: string): unknown;
  targets(targets: Builder<Dataquery>[]): unknown;
  overrideByQuery(refId: string, properties: DynamicConfigValue[]): unknown;
}

/** Gives a panel its texts, its queries and their colours. */
export function furnish(
  panel: ValuePanelBuilder,
  about: About,
  queries: readonly Query[],
  asking: Asking,
): void {
  panel.title(about.title);
  panel.description(about.description);
  panel.datasource(DATASOURCE);
  panel.noValue(NO_VALUE);
  panel.thresholds(about.thresholds ?? steps({ colour: STATES.neutral }));
  if (about.unit !== undefined) panel.unit(about.unit);
  if (about.decimals !== undefined) panel.decimals(about.decimals);
  if (about.min !== undefined) panel.min(about.min);
  if (about.max !== undefined) panel.max(about.max);
  if (about.interval !== undefined) panel.interval(about.interval);
  if (about.maxDataPoints !== undefined) panel.maxDataPoints(about.maxDataPoints);
  if (about.mappings !== undefined) panel.mappings([...about.mappings]);
  panel.targets(queries.map((query, index) => target(query, refId(index), asking)));
  for (const [index, { colour, properties = [] }] of queries.entries()) {
    const all = [...(colour === undefined ? [] : [coloured(colour)]), ...properties];
    if (all.length > 0) panel.overrideByQuery(refId(index), all);
  }
}

/** Thresholds at fixed values, beginning with the colour below the first. */
export function steps(
  below: { readonly colour: Colour },
  ...above: readonly { readonly from: number; readonly colour: Colour }[]
): Builder<ThresholdsConfig> {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([
      { value: null, color: below.colour },
      ...above.map(({ from, colour }) => ({ value: from, color: colour })),
    ]);
}

/** Shows texts and colours instead of single values. */
export function texts(
  byValue: Readonly<Record<string, readonly [text: string, colour: Colour]>>,
): readonly ValueMapping[] {
  const options = Object.entries(byValue).map(
    ([value, [text, color]], index) => [value, { text, color, index }] as const,
  );
  return [{ type: MappingType.ValueToText, options: Object.fromEntries(options) }];
}

/** Colours a panel by its thresholds and mappings. */
export function byThresholds(): FieldColorBuilder {
  return new FieldColorBuilder().mode(FieldColorModeId.Thresholds);
}

function coloured(fixedColor: Colour): DynamicConfigValue {
  return { id: 'color', value: { mode: FieldColorModeId.Fixed, fixedColor } };
}

function refId(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

function target({ expr, legend }: Query, id: string, asking: Asking): DataqueryBuilder {
  const query = new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(id)
    .expr(expr)
    .legendFormat(legend);
  if (asking === 'range') return query.range();
  if (asking === 'instant') return query.instant();
  return query.instant().format(PromQueryFormat.Table);
}
