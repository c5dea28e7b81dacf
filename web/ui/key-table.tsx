import { Kbd, Table } from '@mantine/core'
import { listKeys } from './keys'

export function KeyTable() {
  const keys = listKeys().map(({ key, shown = key, text }) => [shown, text])
  const body = [...keys, ['Ctrl+K', 'go, find or do anything']].map(([key, text]) => [<Kbd key="key">{key}</Kbd>, text])
  return <Table withRowBorders={false} verticalSpacing={2} maw={360} data={{ body }} />
}
