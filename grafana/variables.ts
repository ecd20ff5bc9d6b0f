import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  TextBoxVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './datasource.ts';
import { type ScopeVariable, seriesBefore } from './series.ts';

/** How Grafana's editor of Prometheus variables numbers the forms of a query. */
const LABEL_VALUES = 1;
const QUERY_RESULT = 3;

const ALL = { text: ['All'], value: ['$__all'] };

/** The variables at the top of the dashboard; each list depends on the choices before it. */
export function variables(): readonly Builder<VariableModel>[] {
  return [
    new DatasourceVariableBuilder('datasource')
      .label('Data source')
      .description('The Prometheus that scrapes the exporter.')
      .type('prometheus'),
    chosen('job', `label_values(${seriesBefore('job', 'solar_exporter_build_info')}, job)`)
      .label('Job')
      .description('The scrape jobs of the exporters.')
      .current({ text: ['solar'], value: ['solar'] }),
    chosen('instance', `label_values(${seriesBefore('instance', 'solar_up')}, instance)`)
      .label('Instance')
      .description(
        'The exporters, by the address at which Prometheus scrapes them; the stations, where each is a target of its own.',
      )
      .current(ALL),
    chosen('account', `label_values(${seriesBefore('account', 'solar_up')}, account)`)
      .label('Account')
      .description(
        'The accounts of these exporters, where one has several; else there is none to choose.',
      )
      // Where there are no several accounts, no series has the label, and this fits that as well.
      .allValue('.*')
      .current(ALL),
    chosenByName('station', 'solar_station_info', 'station_id')
      .label('Station')
      .description('The stations of these exporters, by name.')
      .current(ALL),
    chosenByName('device', 'solar_device_info', 'device_id')
      .label('Device')
      .description('The devices of these stations, by name.')
      .current(ALL),
    typed('tariff', '0.30')
      .label('Tariff')
      .description(
        'What a kWh from the grid costs, as a plain number with a decimal point; a tariff file of the exporter counts before it.',
      ),
    typed('feed_in_price', '0.08')
      .label('Feed-in price')
      .description(
        'What a kWh fed into the grid earns, as a plain number with a decimal point; a tariff file of the exporter counts before it.',
      ),
    typed('currency', 'EUR')
      .label('Currency')
      .description('In which both prices are; the prices of a tariff file have their own.'),
    typed('low_soc', '20')
      .label('Low battery %')
      .description('Up to this state of charge, in percent, a battery counts as low.'),
  ];
}

function chosen(
  name: ScopeVariable,
  query: string,
  queryType = LABEL_VALUES,
): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .datasource(DATASOURCE)
    .query({ query, refId: 'PrometheusVariableQueryEditor-VariableQuery', qryType: queryType })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalCaseInsensitiveAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.+');
}

/** A list of ids that people read as names. */
function chosenByName(name: ScopeVariable, metric: string, idLabel: string): QueryVariableBuilder {
  // The order of the labels is not ours, so either group may come first.
  const regex = `/[{,] ?name="(?<text>[^"]+)"|[{,] ?${idLabel}="(?<value>[^"]+)"/g`;
  return chosen(name, `query_result(${seriesBefore(name, metric)})`, QUERY_RESULT).regex(regex);
}

function typed(name: string, value: string): TextBoxVariableBuilder {
  return new TextBoxVariableBuilder(name).defaultValue(value).current({ text: value, value });
}
