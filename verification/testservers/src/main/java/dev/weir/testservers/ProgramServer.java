package dev.weir.testservers;

/** A program that is a server on a port of 127.0.0.1. Thread-safe; the methods block until the server has done it. */
abstract class ProgramServer implements AutoCloseable {
    private final int port;
    private final ServerProcess process;

    ProgramServer(int port, ServerProcess process) {
        this.port = port;
        this.process = process;
    }

    /** Returns this server when it is ready; closes it if it does not start. */
    static <S extends ProgramServer> S started(S server) {
        try {
            server.start();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    abstract boolean isReady();

    ServerProcess process() {
        return process;
    }

    /** The port for clients. It stays the same when the server is started again. */
    public int port() {
        return port;
    }

    /** Starts it again after {@link #kill}. */
    public void start() {
        process.start(this::isReady);
    }

    /** Ends it, and all its processes, with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Halts it with SIGSTOP: connections stay open and nothing answers. */
    public void pause() {
        process.signal("STOP");
    }

    /** Continues it after {@link #pause}. */
    public void resume() {
        process.signal("CONT");
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        process.close();
    }
}
