import { crates, filesIn, read } from './sources'

/** `- \`name\` …`: one line per dependency, under the heading that says where it is used. */
const documented = [...read('docs/DEPENDENCIES.md').matchAll(/^- `([^`]+)`/gm)].map(([, name]) => name as string)

describe('dependencies', () => {
  const used = [...new Set([...cargoNames(), ...npmNames()])].sort()

  test('docs/DEPENDENCIES.md says of each why it is here, and of nothing else', () => {
    expect([...documented].sort()).toEqual(used)
  })

  test('the package needs none at run time', () => {
    const manifest = JSON.parse(read('package.json'))
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([])
  })

  // They are written when a release is packed; a committed list would make every checkout look for them.
  test('the committed manifest names no platform packages', () => {
    expect(JSON.parse(read('package.json')).optionalDependencies).toBeUndefined()
  })

  test('the lockfile is bound to no particular registry', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved":/)
  })
})

function cargoNames(): string[] {
  return [...crates().values()]
    .flat()
    .filter(({ path }) => path === undefined)
    .map(({ name }) => name)
}

function npmNames(): string[] {
  return filesIn('', /^package\.json$/).flatMap((file) => {
    const { dependencies, devDependencies } = JSON.parse(read(file))
    return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== 'pawl')
  })
}
