import { ConfirmDialog } from '../../ui/confirm-dialog'
import type { ApiToken } from './token-table'

type Props = { isPending: boolean; onConfirm: () => void; onClose: () => void }

export const RenewTokenDialog = (props: Props) => (
  <ConfirmDialog title="Renew the default token" action="Renew" isOpen {...props}>
    Whatever uses the current default token stops working until it gets the new one.
  </ConfirmDialog>
)

export const RemoveTokenDialog = ({ token, ...props }: Props & { token: ApiToken }) => (
  <ConfirmDialog title="Remove API token" action="Remove" isOpen {...props}>
    Do you really want to remove the token <strong>{token.name}</strong>? Whatever uses it stops working at once.
  </ConfirmDialog>
)
