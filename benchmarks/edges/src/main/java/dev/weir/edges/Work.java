package dev.weir.edges;

/** The work of a server for a request: next to nothing. */
interface Work {
    String done();

    /** Without a limit of its own. */
    final class Plain implements Work {
        @Override
        public String done() {
            return "ok";
        }
    }
}
