import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import java.util.List;

/** Serves an empty, in-memory database, prints its URL, and ends when standard input does. */
public final class MongoEngine {

    /** The newest version that the engine names itself is refused by current drivers. */
    private static final MongoVersion VERSION = new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(4, 4, 0);
        }

        @Override
        public int getWireVersion() {
            return 9;
        }
    };

    private static final class Backend extends MemoryBackend {
        @Override
        public MemoryDatabase openOrCreateDatabase(String name) {
            return new IndexedDatabase(name, getCursorRegistry());
        }
    }

    public static void main(String[] arguments) throws Exception {
        var server = new MongoServer(new Backend().version(VERSION));
        server.bind("127.0.0.1", 0);
        System.out.println("mongodb://127.0.0.1:" + server.getLocalAddress().getPort());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        server.shutdownNow();
    }
}
