import { Kbd, Table } from '@mantine/core'
import { listKeys } from './keys'

export const KeyTable = () => (
  <Table withRowBorders={false} verticalSpacing={2} maw={360}>
    <Table.Tbody>
      {[...listKeys().map(({ key, shown = key, text }) => [shown, text]), ['Ctrl+K', 'go, find or do anything']].map(
        ([key, text]) => (
          <Table.Tr key={key}>
            <Table.Td w={90}>
              <Kbd>{key}</Kbd>
            </Table.Td>
            <Table.Td>{text}</Table.Td>
          </Table.Tr>
        ),
      )}
    </Table.Tbody>
  </Table>
)
