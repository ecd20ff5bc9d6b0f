import {
  BarAlignment,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { type About, furnish, type Query } from './panel.ts';

/** Takes a series out of the stack and draws it as a dashed line. */
export const DASHED_LINE = [
  { id: 'custom.fillOpacity', value: 0 },
  { id: 'custom.lineWidth', value: 1 },
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
];

/** Lines over time, with a gap where nothing is known. */
export function lines(about: About, queries: readonly Query[]): Panel {
  return timeSeries(about, queries).build();
}

/** Stacked areas over time, with those above zero and those below it apart. */
export function stackedAreas(about: About, queries: readonly Query[], group: string): Panel {
  return stacked(timeSeries(about, queries), group)
    .lineWidth(0)
    .fillOpacity(60)
    .showPoints(VisibilityMode.Never)
    .build();
}

/** Stacked bars, each of which ends at its point in time, with those above zero and those below it apart. */
export function stackedBars(about: About, queries: readonly Query[], group: string): Panel {
  return stacked(timeSeries(about, queries), group)
    .drawStyle(GraphDrawStyle.Bars)
    .barAlignment(BarAlignment.Before)
    .barWidthFactor(0.8)
    .lineWidth(0)
    .fillOpacity(80)
    .build();
}

/** A panel that says by itself what its series are. */
export function noLegend(): VizLegendOptionsBuilder {
  return legend().showLegend(false);
}

function stacked(panel: TimeSeriesBuilder, group: string): TimeSeriesBuilder {
  return panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group(group));
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
    // Colours in their order, because those that Grafana makes of names may be alike.
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
