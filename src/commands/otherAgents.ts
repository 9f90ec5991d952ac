/** Commands that other agents have: what they are called here, or what to do instead. */

/** What a command of other agents is here. */
type Counterpart =
  /** A command line of ours that means the same, without the slash. */
  | { readonly same: string }
  /** One line. */
  | { readonly advice: string };

const rows: readonly (readonly [names: string, counterpart: Counterpart])[] = [
  ['plan', { same: 'permissions plan' }],
  ['allowed-tools approvals', { same: 'permissions' }],
  ['extensions', { same: 'plugin' }],
  ['about', { same: 'status' }],
  ['restore', { same: 'rewind' }],
  ['share', { same: 'export' }],
  ['directory dir', { advice: 'Use /add-dir PATH.' }],
  ['login auth connect', { advice: 'Store a key in a shell: clawdcode auth login' }],
  ['logout', { advice: 'Remove a stored key in a shell: clawdcode auth logout' }],
  ['review security-review', { advice: 'Ask in your own words, or add it as a skill: docs/skills.md' }],
  ['bug feedback', { advice: 'Report it where you got ClawdCode; clawdcode doctor has the facts.' }],
  ['btw side', { advice: 'Ask in a copy of the session: /fork' }],
  ['recap', { advice: 'Ctrl+O shows the full transcript; /compact --preview writes a summary.' }],
  ['ide', { advice: 'Editors run ClawdCode over ACP: docs/acp.md' }],
  ['output-style', { advice: 'Describe the style in AGENTS.md, or start with --append-system-prompt TEXT.' }],
  ['chat', { advice: 'Sessions are saved automatically: /resume opens one, /fork copies this one.' }],
  ['tools', { advice: '/mcp NAME lists the tools of a server; /context shows what all tools take up.' }],
  ['mention', { advice: 'Type @path to attach a file.' }],
  ['editor', { advice: 'Ctrl+G opens the draft in your editor.' }],
  ['sandbox', { advice: 'Start with --sandbox MODE: docs/sandbox.md' }],
  ['upgrade update', { advice: 'Update ClawdCode in the same way as you installed it.' }],
];

const counterparts = new Map(
  rows.flatMap(([names, counterpart]) => names.split(' ').map((name) => [name, counterpart] as const)),
);

/** Looks up a command of other agents, ignoring case. */
export const counterpartOf = (name: string): Counterpart | undefined => counterparts.get(name.toLowerCase());
