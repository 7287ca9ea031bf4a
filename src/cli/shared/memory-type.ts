import { Option } from 'commander'
import { type MemoryType, MEMORY_TYPES } from '../../kernel/memory.ts'

export function memoryTypeOption(description: string): Option {
  return new Option('--type <type>', description).choices(MEMORY_TYPES)
}

export function findMemoryType(value: unknown): MemoryType | undefined {
  return MEMORY_TYPES.find((type) => type === value)
}
