import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

interface Node {
  readonly key: string | null;
  readonly flowDirection: number;
  readonly value: { readonly key: string; readonly unit: string } | null;
  readonly extraValues: readonly { readonly key: string }[];
}

interface Flow {
  readonly deviceAttributeState: {
    readonly time: string;
    readonly fields: Readonly<Record<string, unknown>>;
  };
  readonly pvPanelFlow: Node;
  readonly gridFlow: Node;
  readonly batteryFlow: Node;
  readonly loadFlow: Node;
}

const keysIn = ({ key, extraValues }: Node) => [key, ...extraValues.map((extra) => extra.key)];

describe('the energy flow', () => {
  test('holds every attribute of uwb1 beside its nodes', async () => {
    const { look, deviceId } = await startSimulator({ family: 'uwb1' });
    const answer = await look(PATHS.energyFlow, { deviceId, dataSource: '1' });
    const flow = dataOf<Flow>(answer);
    expect(flow.deviceAttributeState.time).toBe('2026-06-21T04:00:00.000Z');
    expect(Object.keys(flow.deviceAttributeState.fields)).toEqual(
      expect.arrayContaining(['pv1Power', 'aPhaseMainsPower', 'positiveTerminalBatteryCurrent']),
    );
    expect(keysIn(flow.pvPanelFlow)).toEqual(['generationPower', 'pv1Power', 'pv2Power']);
    expect(flow.gridFlow).toMatchObject({
      key: 'aPhaseMainsPower',
      isEnabled: true,
      value: { key: 'aPhaseMainsPower', unit: 'W' },
    });
    expect(flow).toMatchObject({ generatorFlow: null, upsFlow: null, ctFlow: null });
  });

  test('holds everything of mega-eco in its nodes', async () => {
    const { look, deviceId } = await startSimulator({ family: 'mega-eco' });
    const flow = dataOf<Flow>(await look(PATHS.energyFlow, { deviceId }));
    expect(flow.deviceAttributeState.fields).toEqual({});
    expect(keysIn(flow.pvPanelFlow)).toEqual(['generationPower', 'pvInputPower', 'pv2InputPower']);
    expect(flow.batteryFlow.value).toMatchObject({ key: 'batteryVoltage', unit: 'V' });
    expect(keysIn(flow.batteryFlow)).toContain('batteryCapacity');
    expect(flow.loadFlow.value).toMatchObject({ key: 'acOutputActivePower', unit: 'W' });
  });

  test('has a grid node without a value where no grid is', async () => {
    const { look, deviceId } = await startSimulator({ family: 'charge-controller' });
    const flow = dataOf<Flow>(await look(PATHS.energyFlow, { deviceId }));
    expect(flow.gridFlow).toMatchObject({ key: null, value: null, extraValues: [] });
  });

  test.each([
    { when: 'feeding in', now: '2026-06-03T07:00:00Z', grid: 2, battery: 1 },
    { when: 'charging', now: '2026-06-03T03:00:00Z', grid: 1, battery: 2 },
    { when: 'discharging', now: '2026-06-03T12:00:00Z', grid: 1, battery: 1 },
  ])('points its arrows when $when', async ({ now, grid, battery }) => {
    const running = await startSimulator({ family: 'uwb1' }, new SteppingClock(now));
    const flow = dataOf<Flow>(await running.look(PATHS.energyFlow, { deviceId: running.deviceId }));
    expect(flow.gridFlow.flowDirection).toBe(grid);
    expect(flow.batteryFlow.flowDirection).toBe(battery);
    expect(flow.pvPanelFlow.flowDirection).toBe(1);
    expect(flow.loadFlow.flowDirection).toBe(2);
  });

  test.each(['classic', 'a-phase-hybrid', 'undescribed'] as const)(
    'is refused for %s with code 70132 and a text for data',
    async (family) => {
      const { look, deviceId } = await startSimulator({ family });
      const answer = await look(PATHS.energyFlow, { deviceId });
      expect(answer.status).toBe(200);
      expect(envelopeOf(answer)).toMatchObject({
        code: 70_132,
        data: 'Energy flow rule not exists',
      });
    },
  );

  test('of hpvinv02 is answered and shows nothing', async () => {
    const { look, deviceId } = await startSimulator({ family: 'hpvinv02' });
    const flow = dataOf<Flow>(await look(PATHS.energyFlow, { deviceId }));
    for (const node of [flow.pvPanelFlow, flow.gridFlow, flow.batteryFlow, flow.loadFlow])
      expect(node).toMatchObject({ key: null, value: null, extraValues: [] });
  });

  test('is refused with code 20101 for an unknown device', async () => {
    const { look } = await startSimulator({ family: 'uwb1' });
    expect(envelopeOf(await look(PATHS.energyFlow, { deviceId: '1' })).code).toBe(20_101);
  });
});
