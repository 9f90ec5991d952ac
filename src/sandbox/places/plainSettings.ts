/** Recognizes repository settings as git writes them for a new submodule: they start no program. Pure. */

/** Settings by section, in lower case, with what their values must look like. Source: git-config. */
const plain: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = (() => {
  const any = /^/;
  // `ext::` and other helpers are programs.
  const address = /^(?![\w+-]+::)/;
  const core = ['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'worktree', 'ignorecase'];
  return {
    core: allowed([...core, 'precomposeunicode', 'symlinks'], any),
    remote: { ...allowed(['fetch', 'promisor', 'partialclonefilter', 'tagopt'], any), url: address },
    branch: allowed(['remote', 'merge', 'rebase'], any),
    submodule: { active: any, url: address, update: /^(?:checkout|merge|rebase|none)$/ },
    extensions: allowed(['objectformat', 'partialclone', 'worktreeconfig', 'refstorage'], any),
    user: allowed(['name', 'email'], any),
    lfs: allowed(['repositoryformatversion', 'access'], any),
  };
})();

function allowed(names: readonly string[], value: RegExp): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

const section = /^\s*\[([A-Za-z]+)(?:\s+"(?:[^"\\]|\\.)*")?\]\s*$/;
const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?))?\s*$/;

/** False for everything else, including settings that git might read differently. */
export function isPlainSettings(text: string): boolean {
  let known: Readonly<Record<string, RegExp>> = {};
  return text.split('\n').every((line) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return true;
    const named = section.exec(line)?.[1]?.toLowerCase();
    if (named !== undefined) {
      known = (Object.hasOwn(plain, named) ? plain[named] : undefined) ?? {};
      return true;
    }
    const [, name = '', value = ''] = setting.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (value.endsWith('\\') || !Object.hasOwn(known, lower)) return false;
    return known[lower]?.test(value.replace(/^"|"$/g, '')) === true;
  });
}
