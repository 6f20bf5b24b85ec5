package dev.weir.redis;

import dev.weir.store.lease.contract.HolderProcess;

/** A holder whose store is a Redis server. */
final class RedisHolder {
    private RedisHolder() {}

    public static void main(String[] args) throws InterruptedException {
        HolderProcess.run(args, uri -> Redis.connect(uri).leases());
    }
}
