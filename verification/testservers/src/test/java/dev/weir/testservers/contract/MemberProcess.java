package dev.weir.testservers.contract;

import dev.weir.Ticker;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A {@link ShareMember} in a process of its own, again and again. Controlled by one thread, looked at by others. */
final class MemberProcess {
    private static final Ticker TICKER = Ticker.system();

    enum State {
        DEAD,
        AWAY,
        JOINED,
        STOPPED
    }

    private final List<String> command;
    private final Path log;
    private final ShareSlot slot;
    private @Nullable Process process;
    private long stoppedAt;
    private volatile State state = State.DEAD;

    MemberProcess(Class<?> main, List<String> args, Path log, ShareSlot slot) {
        this.command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        this.command.addAll(args);
        this.log = log;
        this.slot = slot;
    }

    State state() {
        return state;
    }

    ShareSlot slot() {
        return slot;
    }

    /** True if it should have a share. */
    boolean isLive() {
        return state == State.JOINED && slot.isMember();
    }

    /** The share that it may grant at this instant: a process that was stopped goes on with what it had, if that is not over. */
    long granting(long now, long degraded) {
        if (state == State.DEAD) {
            return 0;
        }
        long share = slot.share();
        return now - slot.until() < 0 ? share : Math.min(share, degraded);
    }

    /** The share that nobody else may have at this instant: its share until its lease ends, also after it was killed. */
    long keeping(long now) {
        return now - slot.until() < 0 ? slot.share() : 0;
    }

    long nanosStopped() {
        return state == State.STOPPED ? TICKER.read() - stoppedAt : 0;
    }

    void join(ProcessGuard guard) throws IOException {
        if (state == State.DEAD) {
            slot.share(0);
            slot.member(false);
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            guard.watch(started.pid());
            process = started;
        }
        say("join");
        state = State.JOINED;
    }

    void leave() throws IOException {
        state = State.AWAY;
        say("leave");
    }

    @SuppressWarnings("resource") // the pipe ends with the process
    private void say(String line) throws IOException {
        Writer commands = Objects.requireNonNull(process).outputWriter(StandardCharsets.UTF_8);
        commands.write(line + '\n');
        commands.flush();
    }

    void stop() throws Exception {
        state = State.STOPPED;
        stoppedAt = TICKER.read();
        signal("STOP");
    }

    void goOn() throws Exception {
        signal("CONT");
        state = State.JOINED;
    }

    private void signal(String name) throws Exception {
        long pid = Objects.requireNonNull(process).pid();
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IllegalStateException("kill -" + name + " answered " + code);
        }
    }

    /** With SIGKILL. What it had counts until it is dead. */
    void kill() {
        Process last = process;
        if (last != null) {
            slot.member(false);
            last.destroyForcibly().onExit().join();
            process = null;
            state = State.DEAD;
        }
    }
}
