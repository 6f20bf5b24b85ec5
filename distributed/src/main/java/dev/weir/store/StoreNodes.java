package dev.weir.store;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreLink;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a store, for one limiter. Each is away or up by itself, so that one that does not answer is missed by its own keys only.
 * Thread-safe.
 */
final class StoreNodes {
    private final Ticker ticker;
    private final Alarm alarm;
    private final StoreLink.Limits limits;
    private final int window;
    private final Supplier<StoreLimit> store;
    private final Backlog.Source taken;
    /* Only grows, under the monitor. */
    private volatile StoreNode[] nodes = {};
    /* Written under the monitor by all that read the links there, after a link has changed: the last one has seen all changes. */
    private volatile boolean someAway;

    /** The last argument takes what was granted without a node; it is called later than this constructor. */
    StoreNodes(
            Ticker ticker,
            Alarm alarm,
            StoreLink.Limits limits,
            int window,
            Supplier<StoreLimit> store,
            Backlog.Source taken) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.limits = limits;
        this.window = window;
        this.store = store;
        this.taken = taken;
        StoreNode unused = grown(0);
    }

    /** The node that counts a key, by what is known now. */
    StoreNode of(@Nullable Object key) {
        StoreNode[] known = nodes;
        int number = store.get().node(key);
        return number >= 0 && number < known.length ? known[number] : grown(number);
    }

    /** True while the node that counts a key is not away. */
    boolean isUp(@Nullable Object key) {
        return !someAway || of(key).link().isUp();
    }

    /** All that were ever asked for. Not to be changed. */
    StoreNode[] all() {
        return nodes;
    }

    /** The most commands of a kind that may be on their way to one of them. */
    int maxInFlight() {
        return limits.maxInFlight();
    }

    long sum(ToLongFunction<StoreLink> figure) {
        return Arrays.stream(nodes)
                .mapToLong(node -> figure.applyAsLong(node.link()))
                .sum();
    }

    List<String> away() {
        StoreNode[] known = nodes;
        return IntStream.range(0, known.length)
                .filter(i -> !known[i].link().isUp())
                .mapToObj(i -> store.get().nodeName(i))
                .toList();
    }

    /** Stops probing. */
    void close() {
        for (StoreNode node : nodes) {
            node.link().close();
        }
    }

    private synchronized StoreNode grown(int number) {
        int most = Math.max(1, store.get().nodes());
        int used = number < 0 || number >= most ? 0 : number;
        StoreNode[] known = nodes;
        if (used >= known.length) {
            StoreNode[] more = Arrays.copyOf(known, used + 1);
            for (int i = known.length; i <= used; i++) {
                more[i] = node(i);
            }
            nodes = more;
        }
        return nodes[used];
    }

    private StoreNode node(int number) {
        Remote remote = new Remote(number);
        StoreLink link = new StoreLink(ticker, alarm, limits, remote);
        return new StoreNode(link, new Backlog(link, taken, remote::ping, window));
    }

    private void changed(int number) {
        StoreNode node = nodes[number];
        synchronized (this) {
            someAway = sum(link -> link.isUp() ? 0 : 1) > 0;
        }
        if (node.link().isUp()) {
            node.backlog().tell();
        }
    }

    /** The node with this number, as the store knows it now. */
    private final class Remote implements StoreLink.Store {
        private final int number;

        private Remote(int number) {
            this.number = number;
        }

        @Override
        public CompletionStage<?> ping() {
            return store.get().ping(number);
        }

        @Override
        public void changed() {
            StoreNodes.this.changed(number);
        }

        @Override
        public long healed(Object answer) {
            return answer instanceof Reply reply ? reply.healed() : 0;
        }

        @Override
        public boolean isUnsent(Throwable failure) {
            return failure instanceof NotCountedException;
        }

        @Override
        public boolean isAnswered(Throwable failure) {
            return failure instanceof NotCountedException refused && refused.isAnswered();
        }
    }
}
