package dev.weir.zookeeper;

import dev.weir.testservers.contract.ShareMember;

/** One of the processes of {@link ZooKeeperShareProcessesTest}. */
final class ZooKeeperShareMember {
    private ZooKeeperShareMember() {}

    public static void main(String[] args) throws Exception {
        ShareMember.run(
                args, (server, instance, lease) -> ZooKeeperRegistry.connect(server, "/weir/shop", instance, lease));
    }
}
