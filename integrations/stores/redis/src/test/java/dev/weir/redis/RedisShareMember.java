package dev.weir.redis;

import dev.weir.testservers.contract.ShareMember;
import io.lettuce.core.RedisURI;

/** One of the processes of {@link RedisShareProcessesTest}. */
final class RedisShareMember {
    private RedisShareMember() {}

    public static void main(String[] args) throws Exception {
        ShareMember.run(
                args,
                (server, instance, lease) ->
                        RedisRegistry.connect(RedisURI.create(server), "weir:shop", instance, lease));
    }
}
