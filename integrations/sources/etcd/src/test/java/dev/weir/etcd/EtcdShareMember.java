package dev.weir.etcd;

import dev.weir.testservers.contract.ShareMember;
import io.etcd.jetcd.Client;

/** One of the processes of {@link EtcdShareProcessesTest}. */
final class EtcdShareMember {
    private EtcdShareMember() {}

    public static void main(String[] args) throws Exception {
        ShareMember.run(
                args,
                (server, instance, lease) ->
                        EtcdRegistry.connect(Client.builder().endpoints(server), "weir/shop", instance, lease));
    }
}
