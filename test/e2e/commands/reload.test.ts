import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { scrapePage } from '../../doors/house.ts';
import { startProcess } from '../../commands/command-harness.ts';

const FILE = 'exporter.yaml';

/** Starts `serve` in this process, with a configuration file. */
async function startServing(lines = '') {
  const { shell, simulator } = await startProcess();
  shell.files = { [FILE]: lines };
  const setLevel = vi.fn();
  Object.assign(shell.log, { setLevel });
  const ended = shell.run('serve', '--web.listen-address=127.0.0.1:0', `--config.file=${FILE}`);
  const said = (message: string) => shell.log.lines.filter((line) => line.message === message);
  await eventually(() => expect(said('listening')).toHaveLength(1));
  onTestFinished(async () => {
    shell.requestStop();
    expect((await ended).status).toBe(0);
  });
  const url = String(said('listening')[0]?.fields['url']);
  /** Rewrites the file and asks to reload; resolves when that is over. */
  async function reloadWith(text: string): Promise<void> {
    const ends = ['configuration reloaded', 'configuration not reloaded: the one before goes on'];
    const count = () => ends.flatMap(said).length;
    const before = count();
    shell.files = { ...shell.files, [FILE]: text };
    shell.requestReload();
    await eventually(() => expect(count()).toBe(before + 1));
  }
  return { shell, simulator, setLevel, url, said, reloadWith };
}

function errorOf(fields: Readonly<Record<string, unknown>> | undefined): string {
  return (fields?.['err'] as Error).message;
}

describe('serve, asked to reload,', () => {
  test('applies a changed file', async () => {
    const { url, said, reloadWith } = await startServing();
    expect((await scrapePage(url)).value('process_cpu_seconds_total')).toBeUndefined();
    await reloadWith('collect.process: true\n');
    expect(said('configuration reloaded')).toHaveLength(1);
    expect((await scrapePage(url)).value('process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('logs at the level of the new file, and not at that of a refused file', async () => {
    const { setLevel, reloadWith } = await startServing();
    await reloadWith('log.level: debug\n');
    expect(setLevel.mock.calls).toEqual([['debug']]);
    await reloadWith('log.level: error\ncache.max-age: soon\n');
    await reloadWith('log.level: error\nweb.max-requests: 7\n');
    expect(setLevel).toHaveBeenCalledOnce();
    await reloadWith('');
    expect(setLevel.mock.calls.at(-1)).toEqual(['info']);
  });

  test('names the options that take a restart, changes nothing, and goes on', async () => {
    const { url, said, reloadWith } = await startServing('web.max-requests: 9\n');
    await reloadWith('web.max-requests: 7\nlog.format: pretty\ncollect.process: true\n');
    const [line] = said('configuration not reloaded: the one before goes on');
    expect(line?.level).toBe('error');
    expect(errorOf(line?.fields)).toBe(
      'web.max-requests: "7" in place of "9" takes a restart; accepted: a reload that leaves it as it is\n' +
        'log.format: "pretty" in place of "" takes a restart; accepted: a reload that leaves it as it is',
    );
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_config_last_reload_successful')).toBe(0);
    expect(page.value('process_cpu_seconds_total')).toBeUndefined();
    await reloadWith('web.max-requests: 9\n');
    expect((await scrapePage(url)).value('solar_config_last_reload_successful')).toBe(1);
  });

  test('repeats the warnings', async () => {
    const { shell, reloadWith } = await startServing();
    await reloadWith('cache.max-age: 1m\n');
    expect(shell.log.messages('warn')).toEqual([
      expect.stringContaining('cache.max-age: 1m is less than the five minutes'),
    ]);
  });

  test('goes on when the file is missing for a moment', async () => {
    const { shell, said, url, reloadWith } = await startServing();
    const { files } = shell;
    shell.files = {};
    shell.requestReload();
    await eventually(() =>
      expect(said('configuration not reloaded: the one before goes on')).toHaveLength(1),
    );
    shell.files = files;
    await reloadWith('');
    expect((await scrapePage(url)).value('solar_config_last_reload_successful')).toBe(1);
  });
});
