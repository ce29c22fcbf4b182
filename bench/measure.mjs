/** One measurement in a process of its own: `node measure.mjs SYSTEM WORKLOAD SIZES-JSON FOLDER`. Prints JSON. */
import { join } from 'node:path'
import { meterOf } from './meter.mjs'
import { systems } from './systems/index.mjs'
import { workloads } from './workloads/index.mjs'

const [systemName, workloadName, sizesJson, folder] = process.argv.slice(2)
const workload = workloads[workloadName]
const sizes = JSON.parse(sizesJson)
const { open, onDisk } = systems[systemName]

const file = onDisk ? join(folder, 'bench.db') : null
const system = await open({ file, shape: workload.shape(sizes) })
const figures = await workload.measure({ system, sizes, meter: meterOf(file) })
await system.close()
process.stdout.write(JSON.stringify(figures))
