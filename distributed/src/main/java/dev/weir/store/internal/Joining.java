package dev.weir.store.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls to one place, of which many go in one command. A call goes at once while few commands are on their way, as
 * {@link Outgoing} tells, else with those that wait when one of them ends. There is no timer. Thread-safe; does not block.
 *
 * <p>Calls are given to the sender in the order in which they were made, each once. One that its caller {@linkplain
 * CallStage#cancelUnsent cancels} while it waits is not sent.
 *
 * @param <C> a call
 * @param <R> its answer
 */
public final class Joining<C, R> {
    /*
     * The thread that raises `work` from 0 sends for all, one command after the other. So no call overtakes another, and answers that
     * come at once are not nested:
     *
     *     call                              sender
     *                                       takes all that wait, for a command
     *     is added; work: 1 -> 2
     *                                       sends the command
     *                                       work: 2 -> 1, looks again
     *
     * A call waits only while a command is on its way, and each command that ends makes its thread look for those that wait.
     */

    /** The most calls of one command. */
    public static final int TOGETHER = 64;

    /** A sender of commands. */
    @FunctionalInterface
    public interface Sender<C, R> {
        /** Sends one command with these calls. The stage has an answer for each of them, in this order, or fails for all. */
        CompletionStage<List<R>> send(List<C> calls);
    }

    private static final class Call<C, R> implements CallStage.Owner {
        private final C call;
        private final CallStage<R> stage = new CallStage<>(this);

        private Call(C call) {
            this.call = call;
        }
    }

    private final Sender<C, R> sender;
    private final AtomicInteger work = new AtomicInteger();

    @GuardedBy("this")
    private final Deque<Call<C, R>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Outgoing outgoing;

    public Joining(Ticker ticker, Sender<C, R> sender) {
        this.sender = sender;
        this.outgoing = new Outgoing(ticker, TOGETHER);
    }

    /** Sends a call, now or with others. The stage fails if its command does; callers need not wait for a time-out to end it. */
    public CallStage<R> call(C call) {
        Call<C, R> added = new Call<>(call);
        add(added);
        sendAll();
        return added.stage;
    }

    private synchronized void add(Call<C, R> call) {
        waiting.add(call);
    }

    private void sendAll() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        for (int seen = 1; seen != 0; seen = work.addAndGet(-seen)) {
            for (Command next = next(); next != null; next = next()) {
                next.send();
            }
        }
    }

    private synchronized @Nullable Command next() {
        while (!waiting.isEmpty() && waiting.element().stage.isDone()) {
            waiting.remove();
        }
        if (waiting.isEmpty() || !outgoing.begin(waiting.size())) {
            return null;
        }
        List<Call<C, R>> calls = new ArrayList<>(Math.min(TOGETHER, waiting.size()));
        while (calls.size() < TOGETHER && !waiting.isEmpty()) {
            Call<C, R> next = waiting.remove();
            if (next.stage.begin()) {
                calls.add(next);
            }
        }
        return new Command(calls);
    }

    private synchronized void end() {
        outgoing.end();
    }

    private final class Command implements BiConsumer<@Nullable List<R>, @Nullable Throwable> {
        private final List<Call<C, R>> calls;

        private Command(List<Call<C, R>> calls) {
            this.calls = calls;
        }

        private void send() {
            if (calls.isEmpty()) {
                end();
                return;
            }
            List<C> sent = new ArrayList<>(calls.size());
            for (Call<C, R> call : calls) {
                sent.add(call.call);
            }
            try {
                CompletionStage<List<R>> unused = sender.send(sent).whenComplete(this);
            } catch (Throwable t) {
                accept(null, t);
            }
        }

        /* First the calls: what is called for by those that were answered goes together. */
        @Override
        public void accept(@Nullable List<R> answers, @Nullable Throwable thrown) {
            if (answers != null && answers.size() == calls.size()) {
                for (int i = 0; i < answers.size(); i++) {
                    calls.get(i).stage.complete(answers.get(i));
                }
            } else {
                fail(
                        thrown != null
                                ? thrown
                                : new IllegalStateException(calls.size() + " calls were answered by " + answers));
            }
            end();
            sendAll();
        }

        private void fail(Throwable why) {
            for (Call<C, R> call : calls) {
                call.stage.completeExceptionally(why);
            }
        }
    }
}
