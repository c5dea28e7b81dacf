import { ActionIcon, Kbd, Modal, Table } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { listKeys } from './list-keys'

type Props = { isOpen: boolean; onOpen: () => void; onClose: () => void }

export function KeysHelp({ isOpen, onOpen, onClose }: Props) {
  return (
    <>
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={onOpen}
      >
        <IconKeyboard size={18} />
      </ActionIcon>
      <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size="sm" centered>
        <Table>
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
      </Modal>
    </>
  )
}
