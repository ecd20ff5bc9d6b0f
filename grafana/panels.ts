import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeSizing,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  SortOrder,
  TableCellHeight,
  TooltipDisplayMode,
  VisibilityMode,
  VizOrientation,
  VizTextDisplayOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import type {
  DataTransformerConfig,
  DynamicConfigValue,
  Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { type About, byThresholds, furnish, type Query } from './panel.ts';
import { noLegend } from './time-series.ts';

/** Of legends beside numbers, wherever they stand. */
const TITLE_SIZE = 14;

/** Numbers of this moment, each with its legend above it. */
export function stat(about: About, queries: readonly Query[]): Panel {
  return bigValues(about, queries, BigValueTextMode.ValueAndName, 34, VizOrientation.Auto);
}

/** Numbers of this moment, one below the other, each with its legend to its left where there is room. */
export function statPair(about: About, queries: readonly Query[]): Panel {
  return bigValues(about, queries, BigValueTextMode.ValueAndName, 20, VizOrientation.Horizontal);
}

/** Sentences: the legends of what there is, each in its colour. */
export function sentences(about: About, queries: readonly Query[]): Panel {
  return bigValues(about, queries, BigValueTextMode.Name, 14, VizOrientation.Horizontal);
}

/** One horizontal bar for each series. */
export function bars(about: About, queries: readonly Query[]): Panel {
  const panel = new BarGaugeBuilder()
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Text)
    .namePlacement(BarGaugeNamePlacement.Top)
    .sizing(BarGaugeSizing.Manual)
    .minVizHeight(32)
    .maxVizHeight(56)
    .text(new VizTextDisplayOptionsBuilder().titleSize(TITLE_SIZE).valueSize(18))
    .reduceOptions(newest())
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'instant');
  return panel.build();
}

/** States over time, one strip for each series. */
export function states(about: About, queries: readonly Query[]): Panel {
  const panel = new StateTimelineBuilder()
    .mergeValues(true)
    .showValue(VisibilityMode.Auto)
    .fillOpacity(80)
    .lineWidth(0)
    .spanNulls(false)
    .legend(noLegend())
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single).sort(SortOrder.None))
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'range');
  return panel.build();
}

/** How the values of one column of a table show; never those of a column of texts. */
export type ColumnForms = Readonly<Record<string, readonly DynamicConfigValue[]>>;

/** Labels as columns; `transformations` say which, in what order and by what name. */
export function table(
  about: Omit<About, 'unit' | 'decimals'>,
  queries: readonly Query[],
  transformations: readonly DataTransformerConfig[],
  forms: ColumnForms = {},
): Panel {
  const panel = new TableBuilder()
    .cellHeight(TableCellHeight.Sm)
    .minWidth(50)
    .transformations([...transformations]);
  furnish(panel, about, queries, 'table');
  for (const [column, properties] of Object.entries(forms))
    panel.overrideByName(column, [...properties]);
  return panel.build();
}

function bigValues(
  about: About,
  queries: readonly Query[],
  text: BigValueTextMode,
  valueSize: number,
  orientation: VizOrientation,
): Panel {
  const panel = new StatBuilder()
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .textMode(text)
    .wideLayout(orientation === VizOrientation.Horizontal)
    .orientation(orientation)
    // Of one size wherever they stand, and not as large as there is room.
    .text(new VizTextDisplayOptionsBuilder().valueSize(valueSize).titleSize(TITLE_SIZE))
    .reduceOptions(newest())
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'instant');
  return panel.build();
}

function newest(): ReduceDataOptionsBuilder {
  return new ReduceDataOptionsBuilder().values(false).calcs(['lastNotNull']);
}
