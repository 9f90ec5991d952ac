/**
 * A seccomp filter for bubblewrap: no user namespaces, internet sockets only, no io_uring (which could open sockets
 * unnoticed), no kernel keyrings. In a user namespace of its own, a command could drop the mounts that protect files; a
 * socket file of the host (Docker, ssh-agent, the session bus) would lead out of any sandbox.
 * Instructions and offsets: linux/filter.h, linux/seccomp.h; syscall numbers: asm/unistd.h of each architecture. Pure.
 */

const LD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; both architectures are little-endian. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly keyrings: readonly number[];
  readonly setns: number;
  /** Both have their flags in the first argument. */
  readonly unshare: number;
  readonly clone: number;
}

const IO_URING_SETUP = 425;
/** Its flags are in memory, which a filter cannot read. C libraries then use `clone`. */
const CLONE3 = 435;
const CLONE_NEWUSER = 0x10000000;

/** By Node's name of the architecture. */
const machines: Readonly<Record<string, Machine>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, socketpair: 53, keyrings: [248, 249, 250] },
    ...{ setns: 308, unshare: 272, clone: 56 },
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, socketpair: 199, keyrings: [217, 218, 219] },
    ...{ setns: 268, unshare: 97, clone: 220 },
  },
};

/** AF_INET, AF_INET6, and AF_NETLINK, which programs need to list their network interfaces. */
const openFamilies = [2, 10, 16];
/** SOCK_STREAM and SOCK_SEQPACKET: pairs that cannot be connected to anything else afterwards. */
const openPairTypes = [1, 5];

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/**
 * The filter as bytes for `bwrap --seccomp`; undefined for an architecture without a table here. `anySocket` lets
 * commands use all kinds of sockets.
 */
export function callFilter(machine: string, { anySocket }: { anySocket: boolean }): Uint8Array | undefined {
  const known = machines[machine];
  if (known === undefined) return undefined;
  const refuse: Instruction = [RETURN, ERRNO | EPERM];
  const unknown: Instruction = [RETURN, ERRNO | ENOSYS];
  const allow: Instruction = [RETURN, ALLOW];
  const ofSocket: Instruction[] = [
    [LD_WORD, FIRST_ARGUMENT],
    ...openFamilies.map((family, index): Instruction => [JUMP_EQUAL, family, openFamilies.length - index, 0]),
    refuse,
    allow,
  ];
  const ofPair: Instruction[] = [
    [LD_WORD, SECOND_ARGUMENT],
    [AND, 0xf],
    ...openPairTypes.map((type, index): Instruction => [JUMP_EQUAL, type, openPairTypes.length - index, 0]),
    refuse,
    allow,
  ];
  const ofFlags: Instruction[] = [
    [LD_WORD, FIRST_ARGUMENT],
    [JUMP_IF_ANY_BIT, CLONE_NEWUSER, 0, 1],
    refuse,
    allow,
  ];
  const unavailable = anySocket ? [CLONE3] : [CLONE3, IO_URING_SETUP, ...known.keyrings];
  return assemble([
    [LD_WORD, ARCHITECTURE],
    // Syscalls of another architecture (32 bit) have other numbers.
    [JUMP_EQUAL, known.audit, 1, 0],
    unknown,
    [LD_WORD, NUMBER],
    // The x32 variant of the same syscalls.
    [JUMP_GREATER_OR_EQUAL, 0x40000000, 0, 1],
    unknown,
    ...unavailable.flatMap((call): Instruction[] => [[JUMP_EQUAL, call, 0, 1], unknown]),
    ...checked(known.setns, [refuse]),
    ...checked(known.unshare, ofFlags),
    ...checked(known.clone, ofFlags),
    ...(anySocket ? [] : [...checked(known.socket, ofSocket), ...checked(known.socketpair, ofPair)]),
    allow,
  ]);
}

/** Runs instructions, which end with a verdict, for this call only. */
const checked = (call: number, then: readonly Instruction[]): readonly Instruction[] => [
  [JUMP_EQUAL, call, 0, then.length],
  ...then,
];

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [index, [code, value, ifTrue = 0, ifFalse = 0]] of instructions.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
