import { ActionIcon, Menu, Textarea } from '@mantine/core'
import { IconDots, IconDownload, IconMail, IconPencil, IconPrinter, IconWorld } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { useSession } from '../../session/session'
import { downloadDetailsMutation, sendDetailsMutation } from './api'
import { LazyPart } from '../../ui/lazy-part'
import { WriteItem } from '../../session/write-button'
import { formErrors } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { FormDialog } from '../../ui/form-dialog'

const VulnDialog = lazy(() => import('../edit/vuln-dialog').then((file) => ({ default: file.VulnDialog })))

export function VulnActions({ vuln }: { vuln: VulnDetail }) {
  const { user } = useSession()
  const [open, setOpen] = useState<'send' | 'edit' | null>(null)
  const { mutate: download } = useMutation(downloadDetailsMutation)
  const { id, scope } = vuln
  const canWrite = user?.is_admin || user?.profile.manage_metadata
  const canEdit = canWrite && (scope === 'private' || user?.is_admin)
  return (
    <>
      <Menu withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More for PH-${id}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <WriteItem leftSection={<IconMail size={16} />} onClick={() => setOpen('send')}>
            Send by mail
          </WriteItem>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => download(id)}>
            Download as JSON
          </Menu.Item>
          <Menu.Item leftSection={<IconPrinter size={16} />} onClick={() => print()}>
            Print or save as PDF
          </Menu.Item>
          {scope === 'public' && (
            <Menu.Item leftSection={<IconWorld size={16} />} component="a" href={`/public/vulns/${id}`} target="_blank">
              Public page
            </Menu.Item>
          )}
          {canEdit && (
            <WriteItem leftSection={<IconPencil size={16} />} onClick={() => setOpen('edit')}>
              Edit
            </WriteItem>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'send' && <SendDialog id={id} onClose={() => setOpen(null)} />}
      {open === 'edit' && (
        <LazyPart onLost={() => setOpen(null)}>
          <VulnDialog id={id} onClose={() => setOpen(null)} />
        </LazyPart>
      )}
    </>
  )
}

type Props = { id: number; onClose: () => void }

function SendDialog({ id, onClose }: Props) {
  const [emails, setEmails] = useState('')
  const { error, isPending, save } = useSaving(sendDetailsMutation, onClose)
  return (
    <FormDialog
      title="Send details by mail"
      action="Send"
      isPending={isPending}
      isReady={emails.trim() !== ''}
      onSubmit={() => save({ id, emails })}
      onClose={onClose}
    >
      <Textarea
        label="E-mail addresses"
        description="Separated by commas or one per line, maximum 10"
        autosize
        minRows={3}
        maxRows={10}
        data-autofocus
        value={emails}
        error={error && formErrors(error).emails}
        onChange={({ currentTarget }) => setEmails(currentTarget.value)}
      />
    </FormDialog>
  )
}
