import {
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  type DataTransformerConfig,
  FieldColorBuilder,
  FieldColorModeId,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as GaugeBuilder } from '@grafana/grafana-foundation-sdk/gauge';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { type About, byThresholds, furnish, type Query } from './panel.ts';

/** Big numbers of this moment, with the legend beside each where `text` asks for it. */
export function stat(
  about: About,
  queries: readonly Query[],
  text: BigValueTextMode = BigValueTextMode.Value,
): Panel {
  const panel = new StatBuilder()
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .textMode(text)
    .reduceOptions(newest())
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'instant');
  return panel.build();
}

/** A big number with a short remark beside it. */
export function remarkedStat(about: About, queries: readonly Query[]): Panel {
  return stat(about, queries, BigValueTextMode.ValueAndName);
}

/** One dial for each series. */
export function gauge(about: About, queries: readonly Query[]): Panel {
  const panel = new GaugeBuilder()
    .showThresholdMarkers(false)
    .reduceOptions(newest())
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'instant');
  return panel.build();
}

/** One horizontal bar for each series. */
export function bars(about: About, queries: readonly Query[]): Panel {
  const panel = new BarGaugeBuilder()
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Text)
    .reduceOptions(newest())
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'instant');
  return panel.build();
}

/** Lines over time, with a gap where nothing is known. */
export function lines(about: About, queries: readonly Query[]): Panel {
  return timeSeries(about, queries).build();
}

/** Stacked areas over time, with those above zero and those below it apart. */
export function stackedAreas(about: About, queries: readonly Query[], group: string): Panel {
  return timeSeries(about, queries)
    .fillOpacity(35)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group(group))
    .build();
}

/** States over time, one strip for each series. */
export function states(about: About, queries: readonly Query[]): Panel {
  const panel = new StateTimelineBuilder()
    .mergeValues(true)
    .showValue(VisibilityMode.Auto)
    .fillOpacity(80)
    .lineWidth(0)
    .spanNulls(false)
    .legend(legend().showLegend(false))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single).sort(SortOrder.None))
    .colorScheme(byThresholds());
  furnish(panel, about, queries, 'range');
  return panel.build();
}

/** Labels as columns; `transformations` say which, in what order and by what name. */
export function table(
  about: About,
  queries: readonly Query[],
  transformations: readonly DataTransformerConfig[],
): Panel {
  const panel = new TableBuilder().filterable(true).transformations([...transformations]);
  furnish(panel, about, queries, 'table');
  return panel.build();
}

function timeSeries(about: About, queries: readonly Query[]): TimeSeriesBuilder {
  const panel = new TimeSeriesBuilder()
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(0)
    .showPoints(VisibilityMode.Auto)
    .spanNulls(false)
    .legend(legend())
    .tooltip(
      new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending),
    )
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic));
  furnish(panel, about, queries, 'range');
  return panel;
}

function legend(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([]);
}

function newest(): ReduceDataOptionsBuilder {
  return new ReduceDataOptionsBuilder().values(false).calcs(['lastNotNull']);
}
