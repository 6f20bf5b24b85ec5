package dev.weir.store.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls to one place, of which many go in one command. A call goes at once while few commands are on their way, as
 * {@link Outgoing} tells, else with those that wait when one of them ends. There is no timer. Thread-safe; does not block.
 *
 * @param <C> a call
 * @param <R> its answer
 */
public final class Joining<C, R> {
    /*
     * A call waits only while a command is on its way, and each command that ends sends those that wait:
     *
     *     call                              last command
     *     is added; may not go: 2 are on their way
     *                                       ends: 1 is on its way; takes the call
     *
     * Both are one step under the lock, so either the call goes by itself, or a command that ends later finds it.
     */

    /** The most calls of one command. */
    public static final int TOGETHER = 64;

    /** A sender of commands. */
    @FunctionalInterface
    public interface Sender<C, R> {
        /** Sends one command with these calls. The stage has an answer for each of them, in this order, or fails for all. */
        CompletionStage<List<R>> send(List<C> calls);
    }

    private record Call<C, R>(C call, CompletableFuture<R> answer) {}

    private final Sender<C, R> sender;

    @GuardedBy("this")
    private final Deque<Call<C, R>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Outgoing outgoing;

    public Joining(Ticker ticker, Sender<C, R> sender) {
        this.sender = sender;
        this.outgoing = new Outgoing(ticker, TOGETHER);
    }

    /** Sends a call, now or with others. The stage fails if its command does; callers need not wait for a time-out to end it. */
    public CompletionStage<R> call(C call) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        sendAll(add(new Call<>(call, answer)));
        return answer;
    }

    private void sendAll(@Nullable Command first) {
        for (Command next = first; next != null; next = next()) {
            next.send();
        }
    }

    private synchronized @Nullable Command add(Call<C, R> call) {
        waiting.add(call);
        return next();
    }

    private synchronized @Nullable Command next() {
        if (waiting.isEmpty() || !outgoing.begin(waiting.size())) {
            return null;
        }
        int size = Math.min(TOGETHER, waiting.size());
        List<Call<C, R>> calls = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            calls.add(waiting.remove());
        }
        return new Command(calls);
    }

    private synchronized void end() {
        outgoing.end();
    }

    private final class Command implements BiConsumer<@Nullable List<R>, @Nullable Throwable> {
        private final List<Call<C, R>> calls;
        /* If the command ends while it is sent, the loop that sends it goes on: no recursion however many wait. */
        private volatile @Nullable Thread sending;

        private Command(List<Call<C, R>> calls) {
            this.calls = calls;
        }

        private void send() {
            sending = Thread.currentThread();
            List<C> sent = new ArrayList<>(calls.size());
            for (Call<C, R> call : calls) {
                sent.add(call.call);
            }
            try {
                CompletionStage<List<R>> unused = sender.send(sent).whenComplete(this);
            } catch (Throwable t) {
                accept(null, t);
            }
            sending = null;
        }

        @Override
        public void accept(@Nullable List<R> answers, @Nullable Throwable thrown) {
            end();
            if (sending != Thread.currentThread()) {
                sendAll(next());
            }
            if (answers != null && answers.size() == calls.size()) {
                for (int i = 0; i < answers.size(); i++) {
                    calls.get(i).answer.complete(answers.get(i));
                }
                return;
            }
            Throwable why = thrown != null
                    ? thrown
                    : new IllegalStateException(calls.size() + " calls were answered by " + answers);
            for (Call<C, R> call : calls) {
                call.answer.completeExceptionally(why);
            }
        }
    }
}
