import type { Config } from '../config/config.ts';
import { ConfigError } from '../errors.ts';
import { createSimulator, type Simulator, type SimulatorOptions } from '../simulator/simulator.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Starts the simulated service that the configuration describes.
 *
 * @throws ConfigError when its address cannot be listened on.
 */
export async function startSimulator(
  { simulator }: Config,
  overrides: Partial<SimulatorOptions>,
  { clock }: Surroundings,
): Promise<{ simulator: Simulator; url: string }> {
  const { devices, listenAddress, speed, ...same } = simulator;
  const started = createSimulator(
    {
      ...same,
      devicesPerStation: devices,
      host: listenAddress.host ?? '0.0.0.0',
      port: listenAddress.port,
      ...overrides,
      ...(speed === undefined ? {} : { speed }),
    },
    clock,
  );
  try {
    const url = await started.start();
    // Every interface is an address to listen on, not one to go to.
    return { simulator: started, url: url.replace('//0.0.0.0:', '//127.0.0.1:') };
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigError(
      [
        `--simulator.listen-address: port ${listenAddress.port} cannot be listened on (${reason}); accepted: an address of this machine and a free port`,
      ],
      { cause: error },
    );
  }
}
