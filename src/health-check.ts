import { connect, type TcpNetConnectOpts } from 'node:net';
import process from 'node:process';

/** Where an exporter answers that listens on all addresses; on a machine without IPv4 at the second. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// The health check of the image, see the Dockerfile: asks the exporter of this container whether it is
// alive, where SOLAR_WEB_LISTEN_ADDRESS says that it listens. It is a program of its own, because it runs
// every 30 seconds and has to start fast. Its argument says after how many milliseconds it gives up. Exit
// status 0: the exporter is alive; 1: it is not, and standard error says why.
const timeoutMs = Number(process.argv[2]);
const fault = await faultOf(process.env['SOLAR_WEB_LISTEN_ADDRESS'] ?? '', timeoutMs);
if (fault !== undefined) {
  process.stderr.write(`unhealthy: ${fault}\n`);
  process.exitCode = 1;
}

/**
 * Returns what is wrong with the exporter that listens at an address; undefined when it is alive. Whatever comes back
 * shows that: an answer, an alert of TLS, the end of the connection. Of a program that hangs, the system still makes
 * connections, but nothing comes back.
 */
function faultOf(address: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(targetOf(address));
    const end = (fault?: string): void => {
      socket.destroy();
      resolve(fault);
    };
    let isConnected = false;
    socket.once('connect', () => {
      isConnected = true;
      socket.write('GET /-/healthy HTTP/1.0\r\n\r\n');
    });
    socket.once('data', () => end());
    socket.once('end', () => end());
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      end(isConnected ? undefined : `no answer: ${code ?? message}`),
    );
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs} ms`));
  });
}

/** Takes an address such as `:9877`, `192.0.2.7:9877` or `[::1]:9877` apart. */
function targetOf(address: string): TcpNetConnectOpts {
  const [, bracketed, plain, port = '9877'] =
    /^(?:\[(.*)\]|(.*)):(\d+)$/.exec(address.trim()) ?? [];
  const host = bracketed ?? plain ?? '';
  if (host !== '' && host !== '0.0.0.0' && host !== '::') return { host, port: Number(port) };
  return {
    host: 'localhost',
    port: Number(port),
    lookup: (_host, _options, found) => found(null, LOOPBACK),
  };
}
