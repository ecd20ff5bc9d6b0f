import { readText } from '../../support/repository.ts';

/** The panel as Grafana reads it, as far as the tests look. */
export interface PanelJson {
  readonly type: string;
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly collapsed?: boolean;
  readonly panels?: readonly PanelJson[];
  readonly datasource?: unknown;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly TargetJson[];
  readonly transformations?: readonly {
    readonly id: string;
    readonly options: {
      readonly renameByName?: Readonly<Record<string, string>>;
      readonly excludeByName?: Readonly<Record<string, boolean>>;
    };
  }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly decimals?: number;
      readonly noValue?: string;
      readonly custom?: { readonly spanNulls?: unknown };
    };
    readonly overrides: readonly OverrideJson[];
  };
}

/** A query of a panel. */
export interface TargetJson {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
}

/** How the series of one query differ from the panel. */
export interface OverrideJson {
  readonly matcher: { readonly id: string; readonly options: string };
  readonly properties: readonly { readonly id: string; readonly value: unknown }[];
}

/** A variable at the top of the dashboard. */
export interface VariableJson {
  readonly name: string;
  readonly query: string | { readonly query: string };
  readonly multi: boolean;
  readonly allValue?: string;
  readonly refresh?: number;
  readonly regex?: string;
  readonly current?: unknown;
}

/** The dashboard as Grafana reads it, as far as the tests look. */
export interface DashboardJson {
  readonly panels: readonly PanelJson[];
  readonly templating: { readonly list: readonly VariableJson[] };
  readonly annotations: {
    readonly list: readonly {
      readonly name: string;
      readonly expr: string;
      readonly titleFormat: string;
      readonly textFormat: string;
    }[];
  };
  readonly [key: string]: unknown;
}

/** The dashboard that is provisioned, as its file has it. */
export const DASHBOARD = JSON.parse(readText('grafana/dashboards/solar.json')) as DashboardJson;

/** All panels that show something, those of folded rows as well. */
export const PANELS: readonly PanelJson[] = DASHBOARD.panels.flatMap((panel) =>
  panel.type === 'row' ? (panel.panels ?? []) : [panel],
);
