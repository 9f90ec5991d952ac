/** The repositories around the roots. */
import { createPace } from '../scan/pace.ts';
import { type GitTree, openGitTree } from './gitTree.ts';

export interface GitTrees {
  /** Looks for them when first called. */
  open(): Promise<readonly GitTree[]>;
  read(root: string, oid: string): Promise<Buffer | undefined>;
  /** Ends the git processes that run now: what they were asked is answered without git. */
  stop(): void;
  close(): void;
}

export interface GitTreesOptions {
  /** False: none. */
  readonly program: string | false;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly roots: readonly string[];
  readonly folder: string;
}

export function createGitTrees({ program, env, roots, folder }: GitTreesOptions): GitTrees {
  let running = new AbortController();
  const trees: GitTree[] = [];
  let opening: Promise<readonly GitTree[]> | undefined;
  const open = async (): Promise<readonly GitTree[]> => {
    if (program === false) return trees;
    for (const root of roots) {
      const git = { program, env, signal: () => running.signal };
      const tree = await openGitTree({ git, root, folder, pace: createPace() });
      if (tree !== undefined) trees.push(tree);
    }
    return trees;
  };
  return {
    open: () => {
      opening ??= open();
      return opening;
    },
    read: async (root, oid) => trees.find((tree) => tree.root === root)?.read(oid),
    stop() {
      running.abort();
      running = new AbortController();
    },
    close: () => {
      for (const tree of trees) tree.close();
    },
  };
}
