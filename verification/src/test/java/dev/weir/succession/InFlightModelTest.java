package dev.weir.succession;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.spi.Strategy;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Counters that hand over to each other at random, against a model in which each permit knows who counts it. */
@Tag("proof")
@Tag("property")
class InFlightModelTest {
    private static final int LARGEST_FACTOR = 40;

    /** A counter, and what it has granted itself in the model. */
    private static final class Node {
        final InFlight counter;
        final long limit;
        boolean sealed;

        Node(long limit) {
            this.counter = new InFlight(limit);
            this.limit = limit;
        }
    }

    /** Permits of one grant, and how often each counter counts them. */
    private record Grant(Node by, long permits, Map<Node, Long> counted) {}

    private final List<Node> inForce = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();

    private Node create(long limit) {
        Node node = new Node(limit);
        inForce.add(node);
        return node;
    }

    private static long granted(Node node, List<Grant> grants) {
        return grants.stream()
                .filter(grant -> grant.by == node)
                .mapToLong(Grant::permits)
                .sum();
    }

    private static long counted(Node node, List<Grant> grants) {
        return grants.stream()
                .mapToLong(grant -> grant.permits * grant.counted.getOrDefault(node, 0L))
                .sum();
    }

    private void acquire(Node node, long permits) {
        long own = granted(node, grants);
        long room = node.limit - own - Math.max(0, counted(node, grants) - own);
        long answer = node.counter.acquire(permits, 0);
        assertEquals(permits <= room ? Strategy.GRANTED : Strategy.UNTIL_RELEASE, answer);
        if (answer == Strategy.GRANTED) {
            grants.add(new Grant(node, permits, new HashMap<>(Map.of(node, 1L))));
        }
    }

    private void release(int index) {
        Grant grant = grants.remove(index);
        grant.by.counter.release(grant.permits);
    }

    /** In the model alone. */
    private void move(Node from, List<Node> to) {
        inForce.remove(from);
        from.sealed = true;
        for (Grant grant : grants) {
            long times = grant.counted.getOrDefault(from, 0L);
            grant.counted.remove(from);
            to.forEach(node -> grant.counted.merge(node, times, Long::sum));
        }
    }

    private static void handOver(Node from, List<Node> to) {
        from.counter.handOver(to.stream().map(node -> node.counter).toList());
    }

    /** Some of the newer ones, and sometimes one that is new. */
    private List<Node> successors(Node from, SplittableRandom random) {
        List<Node> to = new ArrayList<>(inForce.subList(inForce.indexOf(from) + 1, inForce.size()));
        to.removeIf(node -> random.nextInt(3) > 0);
        if (to.size() > 3) {
            to = to.subList(0, 3);
        }
        List<Node> some = new ArrayList<>(to);
        if (inForce.size() < 8 && random.nextInt(4) > 0) {
            some.add(create(limit(random)));
        }
        return some;
    }

    private static long limit(SplittableRandom random) {
        return random.nextBoolean() ? random.nextLong(1, 10) : random.nextLong(1_000_000_000, InFlight.MAX + 1);
    }

    private boolean isLarge() {
        return grants.stream()
                .anyMatch(grant -> grant.counted.values().stream().anyMatch(times -> Math.abs(times) > LARGEST_FACTOR));
    }

    private void check() {
        for (Node node : inForce) {
            assertEquals(Math.max(0, counted(node, grants)), node.counter.inFlight());
            assertEquals(node.limit, node.counter.limit());
        }
    }

    private void checkDrained() {
        check();
        for (Node node : inForce) {
            assertEquals(Strategy.GRANTED, node.counter.acquire(node.limit, 0));
            assertEquals(Strategy.UNTIL_RELEASE, node.counter.acquire(1, 0));
            node.counter.release(node.limit);
        }
    }

    @Test
    void S1_S2_S11_W1_everyCountIsThatOfTheModelAfterEachStep() {
        Stress.seconds(3, 60, 600).forAll(200, random -> {
            InFlightModelTest model = new InFlightModelTest();
            model.create(limit(random));
            for (int step = 0; step < 200; step++) {
                model.step(random);
            }
            while (!model.grants.isEmpty()) {
                model.release(random.nextInt(model.grants.size()));
                model.check();
            }
            model.checkDrained();
        });
    }

    private void step(SplittableRandom random) {
        while (isLarge()) {
            release(random.nextInt(grants.size()));
        }
        Node node = inForce.isEmpty() ? create(limit(random)) : inForce.get(random.nextInt(inForce.size()));
        int kind = random.nextInt(8);
        if (kind < 3) {
            acquire(node, random.nextLong(1, node.limit + 1));
        } else if (kind < 5 && !grants.isEmpty()) {
            release(random.nextInt(grants.size()));
        } else if (kind == 5) {
            create(limit(random));
        } else {
            List<Node> to = successors(node, random);
            move(node, to);
            handOver(node, to);
        }
        check();
    }

    /** What a thread does, in this order. */
    private record HandOver(Node from, List<Node> to) {}

    @Test
    void S1_S2_S11_W1_everyCountIsExactAfterReleasesDuringHandOvers() {
        Stress.seconds(4, 60, 600).forAll(200, random -> new InFlightModelTest().race(random));
    }

    /*
     * Counters with permits hand over to one for all, and each to one of its own. Then two threads hand over at once, one of
     * them those of its own, the other those for all, while two threads release. The sums are the same in any order.
     */
    private void race(SplittableRandom random) {
        Node forAll = create(InFlight.MAX);
        List<HandOver> own = new ArrayList<>();
        for (int key = 0; key < 3; key++) {
            Node first = new Node(InFlight.MAX);
            for (int i = 0; i < 8; i++) {
                acquire(first, Seed.oneOf(random, 1L, 2L, 200_000_000L));
            }
            Node second = new Node(InFlight.MAX);
            execute(new HandOver(first, List.of(forAll, second)));
            acquire(second, 5);
            for (int i = 0; i < 5; i++) {
                Node next = i < 4 ? new Node(InFlight.MAX) : create(InFlight.MAX);
                own.add(new HandOver(second, List.of(next)));
                second = next;
            }
        }
        List<Node> keys = List.copyOf(inForce.subList(1, inForce.size()));
        inForce.removeAll(keys);
        List<HandOver> all = plan(random);
        List<List<Grant>> released = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        grants.forEach(grant -> released.get(random.nextInt(3)).add(grant));
        CyclicBarrier start = new CyclicBarrier(4);
        CompletableFuture.allOf(
                        inThread(start, () -> own.forEach(one -> handOver(one.from, one.to))),
                        inThread(start, () -> all.forEach(one -> handOver(one.from, one.to))),
                        inThread(start, () -> released.get(0).forEach(one -> one.by.counter.release(one.permits))),
                        inThread(start, () -> released.get(1).forEach(one -> one.by.counter.release(one.permits))))
                .join();
        own.forEach(one -> move(one.from, one.to));
        all.forEach(one -> move(one.from, one.to));
        grants.clear();
        grants.addAll(released.get(2));
        inForce.addAll(keys);
        check();
        while (!grants.isEmpty()) {
            release(0);
            check();
        }
        checkDrained();
    }

    private void execute(HandOver one) {
        move(one.from, one.to);
        handOver(one.from, one.to);
    }

    /** Hand-overs in this order are possible; they are not made yet. */
    private List<HandOver> plan(SplittableRandom random) {
        List<HandOver> plan = new ArrayList<>();
        List<Node> before = new ArrayList<>(inForce);
        for (int i = 0; i < 12; i++) {
            Node from = inForce.get(0);
            List<Node> to = successors(from, random);
            if (inForce.size() == 1) {
                to.add(create(InFlight.MAX));
            }
            plan.add(new HandOver(from, to));
            inForce.remove(from);
        }
        inForce.addAll(0, before);
        return plan;
    }

    private static CompletableFuture<Void> inThread(CyclicBarrier start, Runnable action) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                start.await();
                action.run();
                ended.complete(null);
            } catch (Throwable t) {
                ended.completeExceptionally(t);
            }
        });
        thread.start();
        return ended;
    }
}
