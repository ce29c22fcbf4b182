import { crates } from './sources'

/** Each crate and what of ours it may build on. Dependencies point down only. */
const MAY_USE: Record<string, string[]> = {
  pawl: ['pawl-core', 'pawl-store', 'pawl-runtime'],
  'pawl-sim': ['pawl-core', 'pawl-store', 'pawl-runtime'],
  'pawl-runtime': ['pawl-core', 'pawl-store'],
  'pawl-store': ['pawl-core'],
  'pawl-core': [],
}

/** What the deciding crate may use: containers, data formats and a hash. Nothing that acts. */
const CORE_MAY_USE = ['bytes', 'serde', 'serde_json', 'sha2']

describe('crates', () => {
  const workspace = crates()

  test('each crate of the workspace has its place', () => {
    expect([...workspace.keys()].sort()).toEqual(Object.keys(MAY_USE).sort())
  })

  test.each(Object.entries(MAY_USE))('%s uses only what lies below it', (crate, allowed) => {
    const ours = shipped(crate).filter((name) => name in MAY_USE)
    expect(ours.filter((name) => !allowed.includes(name))).toEqual([])
  })

  test('nothing but the addon knows Node', () => {
    const withNapi = [...workspace.keys()].filter((crate) => all(crate).some((name) => name.startsWith('napi')))
    expect(withNapi).toEqual(['pawl'])
  })

  test('core uses nothing that acts', () => {
    expect(shipped('pawl-core').filter((name) => !CORE_MAY_USE.includes(name))).toEqual([])
  })

  test('the simulation ships with nothing', () => {
    const users = [...workspace.keys()].filter((crate) => all(crate).includes('pawl-sim'))
    expect(users).toEqual([])
  })

  function all(crate: string): string[] {
    return (workspace.get(crate) ?? []).map(({ name }) => name)
  }

  function shipped(crate: string): string[] {
    return (workspace.get(crate) ?? []).filter(({ kind }) => kind !== 'dev').map(({ name }) => name)
  }
})
