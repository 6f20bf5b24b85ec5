package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, each with the slots that it serves by what is known: a node that answers {@code MOVED} did not run the
 * script, so it is run once more where that says. Thread-safe; no method blocks.
 */
final class RedisSlots implements Servers {
    private static final int ASKED = 3;
    private static final long ANSWER_MILLIS = 300;
    private static final long SEEDS_MILLIS = 1_000;
    private static final long HEALTHY_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long UNHEALTHY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int PING_KEYS = 100_000;

    private final RedisClient client;
    private final Supplier<? extends CompletionStage<Partitions>> seeds;
    private final RedisWarnings warnings = new RedisWarnings(true);
    private final Ticker ticker = Ticker.system();
    private final Map<String, RedisNode> nodes = new ConcurrentHashMap<>();
    /* An outdated slot costs one command more. */
    private final AtomicReferenceArray<@Nullable RedisNode> owners = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    /* At their numbers, from 1. Written under the monitor. */
    private volatile @Nullable RedisNode[] numbered = {null};
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final AtomicLong refreshed = new AtomicLong();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private volatile @Nullable RedisURI settings;
    private volatile boolean closed;

    private RedisSlots(RedisClient client, Supplier<? extends CompletionStage<Partitions>> seeds) {
        this.client = client;
        this.seeds = seeds;
    }

    /** {@code seeds} asks the servers that were named first. */
    static RedisSlots of(RedisClient client, Supplier<? extends CompletionStage<Partitions>> seeds) {
        RedisSlots slots = new RedisSlots(client, seeds);
        slots.refreshed.set(slots.ticker.read());
        slots.refresh();
        slots.refreshAgain();
        return slots;
    }

    /** Completes when all slots were served for the first time. */
    @Override
    public CompletionStage<Void> connected() {
        return connected;
    }

    @Override
    public int groups() {
        return SlotHash.SLOT_COUNT;
    }

    @Override
    public int group(byte[] key) {
        return SlotHash.getSlot(key);
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        int slot = SlotHash.getSlot(keys.get(0));
        RedisNode node = owners.get(slot);
        if (node == null) {
            return CompletableFuture.failedFuture(new NotCountedException("no node is known for slot " + slot));
        }
        return node.run(script, keys, arguments)
                .exceptionallyCompose(failure -> elsewhere(failure, slot, script, keys, arguments));
    }

    private CompletionStage<List<Object>> elsewhere(
            Throwable failure, int slot, Script script, List<byte[]> keys, List<byte[]> arguments) {
        boolean moved = RedisError.MOVED.is(failure);
        boolean asks = RedisError.ASK.is(failure);
        if (moved || RedisError.CLUSTERDOWN.is(failure) || RedisError.READONLY.is(failure)) {
            refreshSoon();
        }
        RedisNode other = moved || asks ? nodes.get(RedisError.address(failure)) : null;
        if (other == null) {
            return CompletableFuture.failedFuture(failure);
        }
        if (moved) {
            owners.set(slot, other);
        }
        return other.run(script, keys, arguments, asks);
    }

    /** One more than the highest number of a node; 0 stands for slots of which none is known. */
    @Override
    public int nodes() {
        return Math.max(2, numbered.length);
    }

    @Override
    public int node(byte[] key) {
        RedisNode owner = owners.get(SlotHash.getSlot(key));
        return owner == null ? 0 : owner.number();
    }

    @Override
    public String nodeName(int number) {
        RedisNode node = numbered(number);
        return node == null ? "no node" : node.address();
    }

    private @Nullable RedisNode numbered(int number) {
        @Nullable RedisNode[] known = numbered;
        return number < known.length ? known[number] : null;
    }

    /** Completes normally if this node would count, or there is no such node; of 0, if a node is known for each slot. */
    @Override
    public CompletionStage<?> ping(int number) {
        refreshSoon();
        RedisNode node = numbered(number);
        if (number == 0 && !areAllKnown()) {
            return CompletableFuture.failedFuture(new IllegalStateException("no node is known for some slots"));
        }
        for (int i = 0; node != null && i < PING_KEYS; i++) {
            byte[] key = ("{weir:ping:" + i + "}").getBytes(US_ASCII);
            if (owners.get(SlotHash.getSlot(key)) == node) {
                return node.ping(key);
            }
        }
        return CompletableFuture.completedFuture("no slots");
    }

    private boolean areAllKnown() {
        return IntStream.range(0, SlotHash.SLOT_COUNT).allMatch(slot -> owners.get(slot) != null);
    }

    /** Completes normally if all masters would count. Asked while they do not answer, so others may have replaced them. */
    @Override
    public CompletionStage<?> ping() {
        if (nodes.isEmpty()) {
            refreshSoon();
            return CompletableFuture.failedFuture(new IllegalStateException("no node is known"));
        }
        return CompletableFuture.allOf(IntStream.range(1, nodes())
                .mapToObj(number -> ping(number).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private boolean isHealthy() {
        return !nodes.isEmpty() && nodes.values().stream().allMatch(RedisNode::isConnected);
    }

    private void refreshAgain() {
        Alarm.system().ring(UNHEALTHY_NANOS, () -> {
            if (closed) {
                return;
            }
            refreshAgain();
            if (!isHealthy() || ticker.read() - refreshed.get() > HEALTHY_NANOS) {
                refresh();
            }
        });
    }

    /** At most ten times a second. */
    private void refreshSoon() {
        if (ticker.read() - refreshed.get() > UNHEALTHY_NANOS) {
            refresh();
        }
    }

    private void refresh() {
        if (closed || !refreshing.compareAndSet(false, true)) {
            return;
        }
        ask().whenComplete((known, failure) -> {
            try {
                if (known != null) {
                    apply(known);
                }
            } finally {
                refreshed.set(ticker.read());
                refreshing.set(false);
            }
        });
    }

    /* Of what some of the masters know, the newest; what the first servers know if none of them answers. */
    private CompletionStage<Partitions> ask() {
        List<RedisNode> asked = new ArrayList<>(nodes.values());
        asked.removeIf(node -> !node.isConnected());
        Collections.shuffle(asked);
        List<CompletableFuture<@Nullable Partitions>> answers = new ArrayList<>();
        for (RedisNode node : asked.subList(0, Math.min(ASKED, asked.size()))) {
            answers.add(node.clusterNodes()
                    .toCompletableFuture()
                    .thenApply(ClusterPartitionParser::parse)
                    .orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                    .exceptionally(failure -> null));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenCompose(all -> {
                    Partitions newest = newest(answers);
                    return newest != null
                            ? CompletableFuture.completedFuture(newest)
                            : seeds.get().toCompletableFuture().orTimeout(SEEDS_MILLIS, TimeUnit.MILLISECONDS);
                });
    }

    private static @Nullable Partitions newest(List<CompletableFuture<@Nullable Partitions>> answers) {
        Partitions newest = null;
        for (CompletableFuture<@Nullable Partitions> answer : answers) {
            Partitions known = answer.join();
            if (known != null && (newest == null || epoch(known) > epoch(newest))) {
                newest = known;
            }
        }
        return newest;
    }

    private static long epoch(Partitions known) {
        return known.stream().mapToLong(RedisClusterNode::getConfigEpoch).max().orElse(-1);
    }

    private synchronized void apply(Partitions known) {
        if (closed) {
            return;
        }
        boolean first = nodes.isEmpty();
        List<RedisClusterNode> masters =
                known.stream().filter(node -> !node.getSlots().isEmpty()).toList();
        List<RedisNode> gone = masters.isEmpty() ? List.of() : removed(masters);
        for (RedisClusterNode master : masters) {
            RedisNode owner = nodes.computeIfAbsent(address(master), unknown -> connect(first, master.getUri()));
            master.getSlots().forEach(slot -> owners.set(slot, owner));
        }
        gone.forEach(this::close);
        if (first && !nodes.isEmpty()) {
            CompletableFuture<Void> unused = CompletableFuture.allOf(nodes.values().stream()
                            .map(node -> node.connected().toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .thenRun(() -> connected.complete(null));
        }
    }

    private static String address(RedisClusterNode node) {
        return node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    /* Their numbers are free then: a node that took the place of one gets its number. */
    private synchronized List<RedisNode> removed(List<RedisClusterNode> masters) {
        Set<String> addresses = masters.stream().map(RedisSlots::address).collect(Collectors.toSet());
        List<RedisNode> gone = nodes.values().stream()
                .filter(node -> !addresses.contains(node.address()))
                .toList();
        @Nullable RedisNode[] left = numbered.clone();
        for (RedisNode node : gone) {
            left[node.number()] = null;
            nodes.remove(node.address());
        }
        numbered = left;
        return gone;
    }

    private synchronized int freeNumber() {
        int number = 1;
        while (numbered(number) != null) {
            number++;
        }
        return number;
    }

    private void close(RedisNode gone) {
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            owners.compareAndSet(slot, gone, null);
        }
        CompletableFuture<Void> unused = gone.close();
    }

    /* What nodes say of others has no password and no TLS settings. */
    private synchronized RedisNode connect(boolean first, RedisURI address) {
        RedisURI like = settings;
        if (like == null) {
            like = address;
            settings = like;
        }
        RedisURI server = RedisConnection.bounded(like, like.getTimeout());
        server.setHost(address.getHost());
        server.setPort(address.getPort());
        int number = freeNumber();
        RedisNode node = RedisNode.of(client, server, number, first, warnings, this::refreshSoon);
        @Nullable RedisNode[] more = Arrays.copyOf(numbered, Math.max(numbered.length, number + 1));
        more[number] = node;
        numbered = more;
        return node;
    }

    @Override
    public synchronized CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(
                nodes.values().stream().map(RedisNode::close).toArray(CompletableFuture[]::new));
    }
}
