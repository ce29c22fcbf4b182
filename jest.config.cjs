/** Tests see pawl as a user does: `pawl` is this package by its own exports, so dist/ and native/ must be built (`npm run ensure`). */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/__test__', '<rootDir>/examples'],
  testMatch: ['**/*.test.{ts,js,cjs,mjs}'],
  testPathIgnorePatterns: ['/node_modules/', '/fixtures/'],
  transform: { '\\.[cm]?ts$': '<rootDir>/scripts/jest-transform.cjs' },
  moduleNameMapper: { '^pawl$': '<rootDir>/dist/index.js' },
  modulePathIgnorePatterns: ['<rootDir>/target/', '<rootDir>/npm/'],
  testTimeout: 30_000,
}
