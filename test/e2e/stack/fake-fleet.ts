import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

function stationMetrics(stationId: string): string {
  return [
    `solar_up{station_id="${stationId}"} 1`,
    `solar_station_info{station_id="${stationId}",name="House",time_zone="Asia/Manila"} 1`,
    `solar_pv_power_watts{station_id="${stationId}",device_id="${stationId}1"} 1500`,
  ].join('\n');
}

/**
 * An exporter as far as Prometheus sees it: `/sd`, `/probe`, and `/metrics/self`. The stations may be changed
 * while it runs. With an account, it is an exporter of several.
 */
export async function startFakeFleet(
  stationIds: readonly string[],
  account = '',
): Promise<{ host: string }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    const target = searchParams.get('target') ?? '';
    if (pathname === '/sd') {
      const found = stationIds.map((id) => ({
        targets: [id],
        labels: { __meta_solar_station_name: 'House', __meta_solar_account: account },
      }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
    } else if (pathname === '/probe' && stationIds.includes(target)) {
      response.end(`${stationMetrics(target)}\n`);
    } else if (pathname === '/metrics/self') {
      response.end('solar_session_info{mode="account"} 1\n');
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}
