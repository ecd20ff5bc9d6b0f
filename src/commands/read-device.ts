import type { ServiceApi } from '../client/client.ts';
import { readingsCollector } from '../collectors/readings.ts';
import type { DeviceReport, Readings } from '../model/readings.ts';
import type { CommandContext } from './command.ts';
import { type DeviceSubject, firstFetch } from './inventory.ts';

/** Reads a device by the collector of the exporter: what the metrics would show of it now, and the report it is of. */
export async function readDevice(
  context: CommandContext,
  api: ServiceApi,
  target: DeviceSubject,
): Promise<{ readonly report: DeviceReport; readonly newest: Readings }> {
  const read = () => readingsCollector.fetch(api, target, firstFetch(context));
  let report = await read();
  // What is asked once is not learnt from reading to reading.
  while (report.isLearning === true) report = await read();
  const nowMs = context.runtime.clock.nowMs();
  return {
    report,
    newest: readingsCollector.ageing.shownAt(report, nowMs, context.config.cache, target),
  };
}
