package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.RedisSentinels;
import dev.weir.testservers.Server;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replica that is cut off from its master, and takes its place without knowing what was granted since. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class LostWritesNemesisTest {
    private static final int ROUNDS = Stress.of(1, 5, 100);

    /** A key that is used up lives for twenty seconds: the replica has it still when it is promoted. */
    private static final long RATE = 100;

    private static final long BURST = 2_000;

    /** Permits that are granted while the replica is cut off. */
    private static final long LOST = 60;

    private final List<RedisClient> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(RedisClient::shutdown);
    }

    private RedisCommands<String, String> commands(int port) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
        clients.add(client);
        return client.connect().sync();
    }

    private static KeyedLoad.Limit bucket(KeyedLoad load) {
        TokenBucket spec = TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST);
        KeyedLoad.Limit limit = load.limit("lost", spec, WhenAway.closed(), List.of("key"));
        load.start();
        KeyedLoad.eventually().until(() -> limit.granted() >= BURST);
        return limit;
    }

    private static long offset(RedisCommands<String, String> server, String name) {
        return server.info("replication")
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** The permits that the replica knows of: those that were granted before all that it has got was written. */
    private static long replicated(
            KeyedLoad.Limit limit, RedisCommands<String, String> master, RedisCommands<String, String> replica) {
        long granted = limit.granted();
        long written = offset(master, "master_repl_offset");
        KeyedLoad.eventually().until(() -> offset(replica, "slave_repl_offset") >= written);
        return granted;
    }

    /** No replica gets what this master writes; nothing that it has got is lost. */
    private static void cutOff(RedisCommands<String, String> master, RedisCommands<String, String> replica) {
        assertTrue(may(master, false));
        master.clientKill(KillArgs.Builder.typeSlave());
        KeyedLoad.eventually().until(() -> replica.info("replication").contains("master_link_status:down"));
    }

    private static boolean may(RedisCommands<String, String> master, boolean copy) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("default");
        for (String command : List.of("psync", "sync")) {
            arguments.add((copy ? '+' : '-') + command);
        }
        return "OK".equals(master.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments));
    }

    /* Sentinels refuse, or give up, while what they know of the replica is too old; a node that is a master refuses. A master
    that is replaced ends its connections. */
    private static boolean isReplaced(RedisCommands<String, String> master, Runnable promotion) {
        try {
            boolean replaced = !master.info("replication").contains("role:master");
            if (!replaced) {
                promotion.run();
            }
            return replaced;
        } catch (RedisException refused) {
            return false;
        }
    }

    /** What was granted between the cut and the end of the old master, and nothing else, is granted again. */
    private static void promote(
            KeyedLoad load,
            KeyedLoad.Limit limit,
            RedisCommands<String, String> master,
            RedisCommands<String, String> replica,
            Runnable promotion,
            Losses losses) {
        long before = replicated(limit, master, replica);
        long beyondRate = before - load.refilled(RATE);
        cutOff(master, replica);
        long cut = limit.granted();
        KeyedLoad.eventually().until(() -> limit.granted() >= cut + LOST);
        KeyedLoad.eventually().until(() -> isReplaced(master, promotion));
        losses.most += limit.granted() - before;
        KeyedLoad.eventually().ignoreExceptionsInstanceOf(RedisException.class).until(() -> may(master, true));
        load.awaitBack();
        KeyedLoad.eventually().until(() -> limit.granted() - load.refilled(RATE) > beyondRate + LOST / 2);
        assertTrue(
                limit.granted() <= BURST + losses.most + load.refilled(RATE),
                () -> limit.granted() + " of " + (BURST + losses.most + load.refilled(RATE)));
    }

    /** Of all promotions together. */
    private static final class Losses {
        private long most;
    }

    private static void report(String name, KeyedLoad load, KeyedLoad.Limit limit, Losses losses) {
        long most = BURST + losses.most + load.refilled(RATE);
        load.check(name);
        System.out.printf(
                ">>> %s: %d promotions, %,d granted of at most %,d, of which at most %,d had been lost%n",
                name, ROUNDS, limit.granted(), most, losses.most);
    }

    @Test
    void D8_aReplicaOfAClusterThatMissedWritesGrantsThemAgainAndNothingElse() {
        int slot = SlotHash.getSlot(KeyName.of("limit", "lost").of("key"));
        int first = slot * 3 / SlotHash.SLOT_COUNT;
        try (RedisCluster cluster = RedisCluster.withReplicas();
                KeyedLoad load =
                        new KeyedLoad(cluster.uris().get((first + 1) % 3).replace("redis:", "redis-cluster:"), 1)) {
            Losses losses = new Losses();
            KeyedLoad.Limit limit = bucket(load);
            for (int round = 0; round < ROUNDS; round++) {
                int from = round % 2 == 0 ? first : first + 3;
                int to = round % 2 == 0 ? first + 3 : first;
                RedisCommands<String, String> replica = commands(cluster.port(to));
                promote(
                        load,
                        limit,
                        commands(cluster.port(from)),
                        replica,
                        () -> replica.clusterFailover(false, true),
                        losses);
                cluster.awaitOk();
            }
            report("lost writes, Cluster", load, limit, losses);
        }
    }

    /* Not once more when it has been done, because the old master would take its place again, with all writes. */
    private static void failOver(RedisSentinelCommands<String, String> sentinel, int port) {
        if (((InetSocketAddress) sentinel.getMasterAddrByName(RedisSentinels.MASTER)).getPort() == port) {
            String unused = sentinel.failover(RedisSentinels.MASTER);
        }
    }

    @Test
    void D8_aReplicaThatSentinelsPromoteGrantsThemAgainAndNothingElse() {
        try (RedisSentinels sentinels = RedisSentinels.started();
                KeyedLoad load = new KeyedLoad(sentinels.uri(), 1)) {
            RedisURI uri = RedisURI.create(sentinels.uri());
            RedisClient client = RedisClient.create();
            clients.add(client);
            RedisSentinelCommands<String, String> sentinel =
                    client.connectSentinel(uri).sync();
            Losses losses = new Losses();
            KeyedLoad.Limit limit = bucket(load);
            for (int round = 0; round < ROUNDS; round++) {
                int port = sentinels.primaryPort();
                RedisCommands<String, String> master = commands(port);
                String said = master.info("replication").split("slave0:ip=127.0.0.1,port=", 2)[1];
                RedisCommands<String, String> replica = commands(Integer.parseInt(said.split(",", 2)[0]));
                promote(load, limit, master, replica, () -> failOver(sentinel, port), losses);
                sentinels.awaitReady();
            }
            report("lost writes, Sentinels", load, limit, losses);
        }
    }
}
