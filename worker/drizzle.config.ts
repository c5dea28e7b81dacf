import { defineConfig } from 'drizzle-kit'

export default defineConfig({ dialect: 'sqlite', schema: './worker/schema/*.ts', out: './migrations' })
