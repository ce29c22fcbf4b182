import type { Schema } from '../schema'
import { shown } from '../options'
import type { Node } from './chain'
import type { Problem } from './definition'

/** The schemas of a flow. They live in the code alone: neither the hash nor the stored definition knows them. */
export interface FlowSchemas {
  readonly input: Schema | undefined
  /** Of what a step or a join gives: one entry for each node, or none at all. */
  readonly outputs: readonly (Schema | undefined)[] | undefined
  /** Of what a signal brings, by the signal's name. */
  readonly payloads: ReadonlyMap<string, Schema>
}

/** Gathers the schemas of a flow while its nodes are laid out. */
export class SchemaCollection {
  readonly #outputs: (Schema | undefined)[] = []
  /** Of all signals, to notice two that differ. */
  readonly #payloads = new Map<string, Schema | undefined>()

  add(path: string, node: Node, problems: Problem[]): void {
    this.#outputs.push(outputOf(node))
    if (node.kind !== 'signal') return
    if (this.#payloads.has(node.signal) && this.#payloads.get(node.signal) !== node.payload) {
      // Whoever sends cannot know which of the nodes will take the message.
      const message = `it waits for the signal ${shown(node.signal)}, as a node before does, but with another schema; give both the same`
      problems.push({ path, message })
    }
    this.#payloads.set(node.signal, node.payload)
  }

  /** `undefined` if there is none, so that a flow without schemas costs nothing. */
  all(input: Schema | undefined): FlowSchemas | undefined {
    const outputs = this.#outputs.some((schema) => schema !== undefined) ? this.#outputs : undefined
    const payloads = new Map<string, Schema>()
    for (const [name, schema] of this.#payloads) if (schema !== undefined) payloads.set(name, schema)
    if (input === undefined && outputs === undefined && payloads.size === 0) return undefined
    return { input, outputs, payloads }
  }
}

function outputOf(node: Node): Schema | undefined {
  if (node.kind === 'step') return node.output
  return node.kind === 'fork' ? node.join?.output : undefined
}
