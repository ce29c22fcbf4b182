import type { NodeOutline } from './work'

/**
 * The path of the node that `name` means for the node at `index`, or `undefined` if there is none whose output exists by
 * then. A name is looked up in the node's own chain first, then in the chains around it, outwards to the main chain. It
 * may be a path into the branches of a fork that has been joined: `ship/pack`.
 */
export function findAncestor(nodes: readonly NodeOutline[], index: number, name: string): string | undefined {
  const self = nodes[index]
  if (self === undefined) return undefined
  for (let scope: string | undefined = self.scope; scope !== undefined; scope = outer(scope)) {
    const path = join(scope, name)
    const found = nodes.findIndex((node) => join(node.scope, node.name) === path)
    if (found !== -1 && isDone(nodes, index, found)) return path
  }
  return undefined
}

/** The names that {@link findAncestor} finds, for an error message. */
export function ancestorPaths(nodes: readonly NodeOutline[], index: number): string[] {
  return nodes.filter((_, at) => isDone(nodes, index, at)).map((node) => join(node.scope, node.name))
}

/** Whether the node at `candidate` always has its output when the node at `index` runs. */
function isDone(nodes: readonly NodeOutline[], index: number, candidate: number): boolean {
  const self = nodes[index] as NodeOutline
  const other = nodes[candidate] as NodeOutline
  if (contains(other.scope, self.scope)) {
    // In the same chain or in one around it: it must come earlier, and a fork is done only after its branches are.
    return candidate < index && !opens(other, self.scope)
  }
  // In a branch beside: done when the fork of that branch is joined. The join function itself runs after the branches.
  const fork = nodes.findIndex((node) => opens(node, other.scope) && !opens(node, self.scope))
  return fork !== -1 && (fork === index || isDone(nodes, index, fork))
}

/** Whether one of the fork's branches is the chain `scope` or a chain around it. */
function opens(node: NodeOutline, scope: string): boolean {
  return node.branches?.some((branch) => contains(join(node.scope, branch), scope)) ?? false
}

function contains(outerScope: string, scope: string): boolean {
  return outerScope === '' || outerScope === scope || scope.startsWith(`${outerScope}/`)
}

function outer(scope: string): string | undefined {
  if (scope === '') return undefined
  const cut = scope.lastIndexOf('/')
  return cut === -1 ? '' : scope.slice(0, cut)
}

function join(scope: string, name: string): string {
  return scope === '' ? name : `${scope}/${name}`
}
