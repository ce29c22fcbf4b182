/** What schemas of three libraries are inferred as. Checked by the compiler only; nothing here is run. */

import { type as ark } from 'arktype'
import {
  type Flow,
  flow,
  type InputOf,
  type OutputOf,
  type Pawl,
  type RunHandle,
  type Schema,
  type Task,
  task,
} from 'pawl'
import * as v from 'valibot'
import * as z from 'zod'
import { type Same, type } from './expect'

/** Takes a text, gives a number. */
const zod = z.object({ total: z.string().transform(Number) })
const valibot = v.object({ total: v.pipe(v.string(), v.transform(Number)) })
const arktype = ark({ total: 'string.numeric.parse' })
type Text = { total: string }
type Parsed = { total: number }

// A run is started with what the schema takes, and its steps get what it gives.
const withZod = flow('f', { input: zod })
  .step('first', async (input, ctx) => {
    type<Same<typeof input, Parsed>>()
    const again = await ctx.input()
    type<Same<typeof again, Parsed>>()
    return input.total
  })
  .build()
type<Same<InputOf<typeof withZod>, Text>>()
type<Same<OutputOf<typeof withZod>, number>>()
const withValibot = flow('f', { input: valibot, deadline: '1d' })
  .step('first', (input) => type<Same<typeof input, Parsed>>())
  .build()
type<Same<InputOf<typeof withValibot>, Text>>()
const withArktype = flow('f', { input: arktype })
  .step('first', (input) => type<Same<typeof input, Parsed>>())
  .build()
type<Same<InputOf<typeof withArktype>, Text>>()

// @ts-expect-error: it is no schema
flow('f', { input: 5 })
// @ts-expect-error: an unknown option beside the schema
flow('f', { input: zod, deadlin: '1d' })

// A function returns what the schema takes, and the next one gets what it gives.
const parse = task('parse', async (text: string) => ({ total: text }), { output: zod, timeout: '5s' })
type<Same<typeof parse, Task<'parse', string, Parsed, Text>>>()
type<Same<ReturnType<typeof parse.fn>, Text | PromiseLike<Text>>>()
flow<string>('f')
  .step(parse)
  .step(
    'second',
    async (parsed, ctx) => {
      type<Same<typeof parsed, Parsed>>()
      const before = await ctx.output('parse')
      type<Same<typeof before, Parsed>>()
      return { total: '5' }
    },
    { output: valibot, retry: { maxAttempts: 2 } },
  )
  .step('third', ({ total }) => total.toFixed())
  .step('fourth', parse)
  .step('fifth', ({ total }) => ({ total: `${total}` }), { output: arktype })
  .step('sixth', ({ total }) => total.toFixed())
  .step('again', parse, { output: valibot })
  .fork({
    parsed: (b) => b.step('text', ({ total }) => total.toFixed()).step(parse),
    whole: async ({ total }: Parsed) => total,
  })
  .join('join', ({ parsed, whole }) => ({ total: `${parsed.total + whole}` }), { output: zod })
  .step('last', async ({ total }, ctx) => total + (await ctx.output('parsed/parse')).total)
flow<string>('f')
  .fork({ parse })
  .step('after', (outputs) => type<Same<typeof outputs, { parse: Parsed }>>())
// @ts-expect-error: the schema takes a text
task('wrong', () => ({ total: 5 }), { output: zod })
// @ts-expect-error: the schema takes a text
flow<string>('f').step('wrong', async () => ({ total: 5 }), { output: zod })
const forked = flow<string>('f').fork({ parse })
// @ts-expect-error: the schema takes a text
forked.join('wrong', () => 5, { output: valibot })
// @ts-expect-error: what the task returns does not fit
flow<string>('f').step('wrong', parse, { output: z.number() })
// @ts-expect-error: the task takes a text
flow<number>('f').step(parse)

// A sender gives what the schema takes, and the node gives what the schema gives.
const approval = flow<void>('f')
  .signal('approval', { payload: zod })
  .step('after', async (payload, ctx) => {
    type<Same<typeof payload, Parsed>>()
    const again = await ctx.output('approval')
    type<Same<typeof again, Parsed>>()
  })
  .signal('patience', { payload: valibot, timeout: '1d', onTimeout: 'continue', signal: 'answer' })
  .step('told', (payload) => {
    if ('timedOut' in payload) type<Same<typeof payload.timedOut, true>>()
    else type<Same<typeof payload, Parsed>>()
  })
  .fork({
    a: (b) => b.signal('in a', { payload: arktype, timeout: '1h' }).delay('nap', '1s'),
    b: (b) => b.fork({ deep: (b) => b.signal('deep', { payload: z.number().optional() }) }).signal<Date>('free'),
    c: async () => 5,
  })
  .step('end', ({ a }) => a.total)
  .build()
type<Same<OutputOf<typeof approval>, number>>()
// @ts-expect-error: without a timeout there is nothing to go on after
flow('f').signal('approval', { payload: zod, onTimeout: 'continue' })
// @ts-expect-error: it is no schema
flow('f').signal('approval', { payload: String })

export async function senders(pawl: Pawl): Promise<void> {
  await pawl.start(withZod, { total: '5' })
  // @ts-expect-error: the schema takes a text
  pawl.start(withZod, { total: 5 })
  // @ts-expect-error: the schema takes a text
  pawl.run(withArktype, { total: 5 })

  for (const run of [
    await pawl.start(approval),
    await pawl.get('id', { flow: approval }),
    pawl.handle('id', { flow: approval }),
  ]) {
    await run.signal('approval', { total: '5' }, { key: 'k' })
    await run.signal('answer', { total: '5' })
    await run.signal('in a', { total: '5' })
    await run.signal('deep')
    await run.signal('free', new Date())
    // @ts-expect-error: the schema takes a text
    run.signal('approval', { total: 5 })
    // @ts-expect-error: the payload is missing
    run.signal('answer')
    // @ts-expect-error: the schema takes a text
    run.signal('in a', { total: 5 })
    // @ts-expect-error: the schema takes a number
    run.signal('deep', '5')
    type<Same<Awaited<ReturnType<typeof run.result>>, number>>()
    // A handle that knows less takes its place.
    const plain: RunHandle<number> = run
    await plain.signal('anything', 5)
  }
}

// A flow with signals of its own is still any flow, and a schema written by hand is one.
export const anyFlow: Flow<never, unknown> = approval
export const plainFlow: Flow<void, number> = approval
declare const byHand: Schema<string, Date>
flow('f', { input: byHand }).step('first', (input) => type<Same<typeof input, Date>>())
