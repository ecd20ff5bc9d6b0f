import ts from 'typescript';
import type { Manifest } from '../../stack/manifests.ts';
import { repositoryPath } from '../../stack/repository.ts';

/** Where kubernetes-types has the types of an API group. */
const GROUPS: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** Whether kubernetes-types knows this kind: what the Prometheus operator added, it does not. */
export function isOfKubernetes({ apiVersion }: Manifest): boolean {
  return apiVersion in GROUPS;
}

/**
 * What the compiler says of objects as literals of the types of Kubernetes. Unlike the schemas of Kubernetes,
 * it also refuses fields that do not exist.
 */
export function typeErrors(manifests: readonly Manifest[]): readonly string[] {
  const lines = manifests.map(
    ({ apiVersion, kind, ...rest }, index) =>
      `export const object${index}: import('kubernetes-types/${GROUPS[apiVersion]}').${kind} = ` +
      JSON.stringify({ apiVersion, kind, ...rest }),
  );
  // In a folder from which the compiler finds node_modules; it is never written.
  const path = repositoryPath('test/e2e/helm/objects.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    lib: ['lib.es5.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => file === path || disk.fileExists(file),
    getSourceFile: (file, ...others) =>
      file === path
        ? ts.createSourceFile(file, lines.join('\n'), ts.ScriptTarget.ESNext)
        : disk.getSourceFile(file, ...others),
  };
  const program = ts.createProgram([path], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
