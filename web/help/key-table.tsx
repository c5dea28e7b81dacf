import { Kbd, Table } from '@mantine/core'
import { listKeys } from '../vulns/list/list-keys'

export const KeyTable = () => (
  <Table withRowBorders={false} verticalSpacing={2} maw={360}>
    <Table.Tbody>
      {listKeys.map(([key, text]) => (
        <Table.Tr key={key}>
          <Table.Td w={80}>
            <Kbd>{key}</Kbd>
          </Table.Td>
          <Table.Td>{text}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
