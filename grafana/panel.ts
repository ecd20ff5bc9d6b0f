/** One colour for each quantity, wherever it is drawn; as text, each can be read on white and on dark panels. */
export const COLOURS = {
  solar: '#BC8600',
  battery: '#4D9E42',
  house: '#3A77DE',
  grid: '#A45ECF',
} as const;

/** The colours of states, which can be read on both as well. */
export const STATES = {
  good: '#3B9A46',
  attention: '#D97000',
  bad: '#E02F44',
  notice: '#3274D9',
  neutral: 'text',
  off: '#6E7079',
} as const;

/** Ways in which series differ from their panel, by Grafana's names. */
type Look = Readonly<Record<string, unknown>>;

/** PromQL with the variables of the dashboard, the name of what it finds, and how that shows: the colour, or all of it. */
export type Query = readonly [expr: string, legend?: string, look?: string | Look];

/** A column of a table: a label, or `Value #A` for the values of the first query; its title; and how values show. */
type Column = readonly [of: string, title: string, look?: Look];

/** Numbers with so many decimals; never for a column of texts. */
export const DIGITS_0 = { unit: 'none', decimals: 0 };
export const DIGITS_1 = { unit: 'none', decimals: 1 };

/** As wide as an id of 18 digits, a time or an address. */
export const ID = { 'custom.width': 165 };

/** A panel as the rows describe it; {@link panelJson} makes of it what Grafana reads. */
export interface Panel {
  readonly kind: keyof typeof KINDS;
  readonly title: string;
  /** One or two plain sentences. */
  readonly about: string;
  /** Of 24 columns, and of some 38 pixels. */
  readonly size: readonly [width: number, height: number];
  readonly queries: readonly Query[];
  /** Numbers as they are when absent; never for a table, whose texts Grafana would read as numbers. */
  readonly unit?: string;
  readonly decimals?: number;
  readonly min?: number;
  readonly max?: number;
  /** The words and the colour of each value. */
  readonly words?: Words;
  /** From which value on the panel has which colour, the lowest first; neutral when left out. */
  readonly steps?: readonly (readonly [from: number | null, colour: string])[];
  /** What an empty panel says; unknown is never 0. */
  readonly none?: string;
  /** The range of a chart, whatever range is chosen. */
  readonly timeFrom?: string;
  /** The shortest step of a query. */
  readonly interval?: string;
  readonly maxDataPoints?: number;
  readonly columns?: readonly Column[];
  /** How series of one query differ, by their names. */
  readonly series?: Readonly<Record<string, Look>>;
  readonly sortBy?: string;
}

type Words = Readonly<Record<string, readonly [text: string, colour: string]>>;

/** The data source that the person has chosen at the top of the dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

const NEUTRAL = [[null, STATES.neutral]] as const;

const NEWEST = { values: false, fields: '', calcs: ['lastNotNull'] };
const BY_THRESHOLDS = { color: { mode: 'thresholds' } };
// By its name, a device has one colour in all panels.
const BY_NAME = { color: { mode: 'palette-classic-by-name' } };

const BIG_VALUES = {
  reduceOptions: NEWEST,
  orientation: 'horizontal',
  colorMode: 'value',
  graphMode: 'none',
  wideLayout: true,
};

const LINE = {
  drawStyle: 'line',
  lineWidth: 1,
  fillOpacity: 0,
  showPoints: 'auto',
  // A gap is a gap.
  spanNulls: false,
  stacking: { mode: 'none', group: 'A' },
};

const STACKED = { ...LINE, lineWidth: 0, stacking: { mode: 'normal', group: 'A' } };

const BARS = { drawStyle: 'bars', barAlignment: -1, barWidthFactor: 0.8, fillOpacity: 80 };

const CHART = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
};

const OVER_TIME = { type: 'timeseries', options: CHART };

/** The kinds of panels: Grafana's type, and what all panels of the kind have. */
const KINDS = {
  numbers: {
    type: 'stat',
    field: BY_THRESHOLDS,
    options: { ...BIG_VALUES, textMode: 'value_and_name', text: { valueSize: 24, titleSize: 14 } },
  },
  /** The legends of what there is, each in its colour. */
  sentences: {
    type: 'stat',
    field: BY_THRESHOLDS,
    options: { ...BIG_VALUES, textMode: 'name', text: { valueSize: 14, titleSize: 14 } },
  },
  bars: {
    type: 'bargauge',
    field: BY_THRESHOLDS,
    options: {
      reduceOptions: NEWEST,
      orientation: 'horizontal',
      text: { titleSize: 14, valueSize: 18 },
      displayMode: 'basic',
      valueMode: 'text',
      namePlacement: 'top',
      showUnfilled: true,
      sizing: 'manual',
      minVizHeight: 44,
      maxVizHeight: 56,
    },
  },
  lines: { ...OVER_TIME, field: { ...BY_NAME, custom: LINE } },
  areas: {
    ...OVER_TIME,
    field: { ...BY_NAME, custom: { ...STACKED, fillOpacity: 60, showPoints: 'never' } },
  },
  /** Bars, each of which ends at its point in time. */
  columns: { ...OVER_TIME, field: { ...BY_NAME, custom: { ...STACKED, ...BARS } } },
  states: {
    type: 'state-timeline',
    field: { ...BY_THRESHOLDS, custom: { fillOpacity: 80, lineWidth: 0, spanNulls: false } },
    options: {
      mergeValues: true,
      showValue: 'auto',
      perPage: 10,
      legend: { displayMode: 'list', placement: 'bottom', showLegend: false },
      tooltip: { mode: 'single', sort: 'none' },
    },
  },
  table: {
    type: 'table',
    field: { ...BY_THRESHOLDS, custom: { minWidth: 85 } },
    options: { showHeader: true, cellHeight: 'sm' },
  },
};

/** Keeps series out of the legend that has their names already. */
export const UNLISTED = { 'custom.hideFrom': { legend: true, tooltip: false, viz: false } };

/** Takes a series out of the stack and draws it as a dashed line. */
export const DASHED = {
  'custom.fillOpacity': 0,
  'custom.lineWidth': 1,
  'custom.lineStyle': { fill: 'dash', dash: [8, 8] },
};

/** What the axis of a panel is. */
export type Scale = Pick<Panel, 'unit' | 'decimals' | 'min' | 'max'>;

// Grafana draws no line between 0 and 100 % when it may show no decimals of 0.5.
export const PERCENT = { unit: 'percentunit', min: 0, max: 1 };

/** Draws a series as a dashed line with an axis of its own, on the right. */
export function onRight(scale: Scale): Look {
  return {
    ...DASHED,
    'custom.drawStyle': 'line',
    'custom.stacking': { mode: 'none', group: 'right' },
    'custom.axisPlacement': 'right',
    'custom.axisGridShow': false,
    ...scale,
  };
}

/** A share beside watts or kilowatt-hours. */
export const SHARE_LINE = { ...onRight(PERCENT), ...inColour(STATES.neutral) };

/** Gives series this colour. */
export function inColour(fixedColor: string): Look {
  return { color: { mode: 'fixed', fixedColor } };
}

/** The panel as Grafana reads it, still without its number and place. */
export function panelJson(panel: Panel): {
  readonly type: string;
  readonly [key: string]: unknown;
} {
  const { kind, title, about, queries, columns, decimals, min, max, words } = panel;
  const { type, field, options } = KINDS[kind];
  const isTable = kind === 'table';
  const range = type === 'timeseries' || kind === 'states';
  const run = { instant: !range, range, format: isTable ? 'table' : undefined };
  const unit = panel.unit ?? (isTable ? undefined : 'none');
  // What is asked at an instant is of now: Grafana's own range "Today" ends in the future, where nothing is known yet.
  const timeFrom = panel.timeFrom ?? (range ? undefined : '1h');
  const overrides = [
    ...queries.map(([, , look = {}], index) =>
      override('byFrameRefID', refId(index), typeof look === 'string' ? inColour(look) : look),
    ),
    ...(columns ?? []).map(([, column, look = {}]) => override('byName', column, look)),
    ...Object.entries(panel.series ?? {}).map(([name, look]) => override('byName', name, look)),
  ];
  // What is not defined is not written.
  const { interval, maxDataPoints, none = 'not known', steps = NEUTRAL } = panel;
  return {
    type,
    title,
    description: about,
    datasource: DATASOURCE,
    timeFrom,
    hideTimeOverride: timeFrom && true,
    interval,
    maxDataPoints,
    fieldConfig: {
      defaults: {
        ...field,
        unit,
        decimals,
        min,
        max,
        noValue: none,
        thresholds: { mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) },
        mappings: words && mappingsOf(words),
      },
      overrides: overrides.filter(({ properties }) => properties.length > 0),
    },
    options,
    targets: queries.map(([expr, legend = ''], index) => {
      const asked = { refId: refId(index), datasource: DATASOURCE, expr, legendFormat: legend };
      return { ...asked, ...run };
    }),
    transformations: columns && transformationsOf(columns, panel.sortBy),
  };
}

/** Shows words instead of the values of a column or of a panel. */
export function mappingsOf(words: Words): readonly object[] {
  const shown = Object.entries(words).map(([of, [text, color]], index) => [
    of,
    { text, color, index },
  ]);
  return [{ type: 'value', options: Object.fromEntries(shown) as object }];
}

/** A share below 0 is none. */
export const NOT_BELOW_0 = {
  mappings: [{ type: 'range', options: { from: null, to: 0, result: { text: '0%' } } }],
};

/** Words in the cells of a column. */
export function cellWords(words: Words): Look {
  return { mappings: mappingsOf(words), 'custom.cellOptions': { type: 'color-text' } };
}

/** One row for what has the same labels, and of its columns only these, in their order. */
function transformationsOf(columns: readonly Column[], sortBy?: string): readonly object[] {
  const names = columns.map(([of]) => of);
  const indexByName = Object.fromEntries(names.map((name, index) => [name, index]));
  const renameByName = Object.fromEntries(columns.map(([of, title]) => [of, title]));
  const sort = sortBy === undefined ? [] : [{ field: sortBy, desc: true }];
  return [
    { id: 'merge', options: {} },
    { id: 'sortBy', options: { fields: {}, sort } },
    { id: 'filterFieldsByName', options: { include: { names } } },
    { id: 'organize', options: { excludeByName: {}, indexByName, renameByName } },
  ];
}

function override(by: string, options: string, look: Look) {
  const properties = Object.entries(look).map(([id, value]) => ({ id, value }));
  return { matcher: { id: by, options }, properties };
}

function refId(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}
