import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordProjectFolder } from '../../../../src/context/storage/catalogue/projectFolders.ts';
import { openCatalogue } from '../../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { getProjectStoragePath } from '../../../../src/context/storage/pathUtils.ts';
import { temporaryFolder } from '../../../temporaryFolder.ts';
import { type Catalogue, header, makeSession, say } from './makeSessions.ts';

interface Bench {
  readonly dataRoot: string;
  readonly catalogue: Catalogue;
  readonly at: (name: string) => string;
  /** A repository with a session in it, as the program leaves it. */
  work(name: string, remote?: string): Promise<string>;
}

async function bench(): Promise<Bench> {
  const dataRoot = temporaryFolder();
  const repositories = temporaryFolder();
  const catalogue = openCatalogue({ dataRoot });
  onTestFinished(() => catalogue.close());
  const at = (name: string): string => join(repositories, name);
  return {
    dataRoot,
    catalogue,
    at,
    async work(name, remote) {
      await clone(at(name), remote);
      const project = basename(getProjectStoragePath(dataRoot, at(name)));
      const environment = remote === undefined ? {} : { gitRemote: remote };
      await makeSession(dataRoot, { id: `in-${name}`, project, cwd: at(name) }, [
        header({ environment }),
        say(`in ${name}`),
      ]);
      await recordProjectFolder(dataRoot, at(name));
      await catalogue.refresh();
      return project;
    },
  };
}

async function clone(root: string, remote: string | undefined): Promise<void> {
  await mkdir(join(root, '.git'), { recursive: true });
  const config = remote === undefined ? '' : `[remote "origin"]\n\turl = ${remote}\n`;
  await writeFile(join(root, '.git/config'), config);
  await writeFile(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
}

test('a session records where its project is', async () => {
  const { catalogue, work, at } = await bench();
  await work('here');
  expect(await catalogue.list()).toMatchObject([{ root: at('here'), isMoved: false }]);
  expect((await catalogue.projectsOf(at('here'))).moved).toEqual([]);
});

test('a renamed folder keeps its sessions, even after several renames', async () => {
  const { catalogue, work, at, dataRoot } = await bench();
  const project = await work('before');
  for (const [from, to] of [
    ['before', 'between'],
    ['between', 'after'],
  ] as const) {
    await rename(at(from), at(to));
    await catalogue.refresh();
    expect(await catalogue.list()).toMatchObject([{ root: at('before'), isMoved: true, title: 'in before' }]);
    const { own, moved } = await catalogue.projectsOf(at(to));
    expect(moved).toContain(project);
    expect(await catalogue.list({ project: [own, ...moved] })).toHaveLength(1);
    await mkdir(getProjectStoragePath(dataRoot, at(to)), { recursive: true });
    await recordProjectFolder(dataRoot, at(to));
  }
});

test('for a repository that was copied and removed, its remote only leads to a suggestion', async () => {
  const { catalogue, work, at } = await bench();
  const remote = 'https://example.org/team/shop.git';
  const project = await work('before', remote);
  await cp(at('before'), at('after'), { recursive: true });
  expect((await catalogue.projectsOf(at('after'))).moved).toEqual([]);
  await rm(at('before'), { recursive: true });
  expect(await catalogue.projectsOf(at('after'))).toMatchObject({ moved: [], likely: [project] });
});

test('older sessions without recorded places are suggested by the remote in their header', async () => {
  const { catalogue, work, at, dataRoot } = await bench();
  const remote = 'git@example.org:team/shop.git';
  const project = await work('before', remote);
  await rm(join(dataRoot, 'projects', project, 'project.json'));
  await rename(at('before'), at('after'));
  expect(await catalogue.projectsOf(at('after'))).toMatchObject({ moved: [], likely: [project] });
});

test('two clones of one repository are two projects', async () => {
  const { catalogue, work, at } = await bench();
  const remote = 'https://example.org/team/shop.git';
  await work('one', remote);
  await work('two', remote);
  for (const name of ['one', 'two'])
    expect(await catalogue.projectsOf(at(name))).toMatchObject({ moved: [], likely: [] });
  await rename(at('one'), at('three'));
  expect((await catalogue.list()).map(({ id, isMoved }) => [id, isMoved]).sort()).toEqual([
    ['in-one', true],
    ['in-two', false],
  ]);
});

test('a new folder at the place of a moved one is a different project', async () => {
  const { catalogue, work, at } = await bench();
  const project = await work('shop');
  await rename(at('shop'), at('old-shop'));
  await clone(at('shop'), undefined);
  expect(await catalogue.list()).toMatchObject([{ isMoved: true }]);
  expect((await catalogue.projectsOf(at('old-shop'))).moved).toEqual([project]);
  expect(await catalogue.projectsOf(at('shop'))).toEqual({ own: project, moved: [], likely: [] });
});

test('the content of the note is not trusted', async () => {
  const { catalogue, work, at, dataRoot } = await bench();
  const project = await work('here');
  for (const text of ['', '{', '{"v":1,"places":[{"root":5}]}', '[]', '{"v":9}']) {
    await writeFile(join(dataRoot, 'projects', project, 'project.json'), text);
    expect(await catalogue.list()).toMatchObject([{ root: at('here'), isMoved: false }]);
    expect((await catalogue.projectsOf(at('here'))).moved).toEqual([]);
  }
});
