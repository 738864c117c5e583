import Federation
import TestSupport
import Testing
import Wire

@Suite("S3, iOS App Architecture, as printed", .proves("DAT-2"))
struct IOSArchitectureTests {
    /// "App Group".
    static let group = PrintedText(
        """
        The iOS application group name is named as following.

        ``` group.ch.eduid.mobile ```
        """)

    /// "Data Model".
    static let relations = PrintedText(
        """
        The iOS Data Model consists of four relations.

        * ``` EduidConfiguration ``` for storing user configurations
        * ``` Protocols ``` for maintaining protocol requests.
        * ``` Tokens ``` for tracking the different tokens of the app
        * ``` UserServices ``` for caching the RSD2 objects for the discovered services.
        """)

    /// The tables of the data model, under the names of their relations; the last one's heading is `UserService`, and
    /// the list above it calls the relation `UserServices`, as the others are in it.
    static let tables: [(name: String, table: PrintedText)] = [
        (
            "EduidConfiguration",
            PrintedText(
                """
                | Name | Type | Key |
                | :---- | :---- | :---- |
                | cfg_name | ```String``` | Yes |
                | cfg_value | ```String``` | No |
                """)
        ),
        (
            "Protocols",
            PrintedText(
                """
                | Name | Type | Key |
                | :---- | :---- | :---- |
                | baseurl | ```String``` | Yes |
                | protocol_id | ```String``` | No |
                """)
        ),
        (
            "Tokens",
            PrintedText(
                """
                | Name | Type | Key |
                | :---- | :---- | :---- |
                | subject | ```String``` | Yes |
                | target | ```String``` | Yes |
                | type | ```String``` | Yes |
                | token | ```String``` | No |
                """)
        ),
        (
            "UserServices",
            PrintedText(
                """
                | Name | Type | Key |
                | :---- | :---- | :---- |
                | baseurl | ```String``` | Yes |
                | name | ```String``` | No |
                | rsd | ```String``` | No |
                | token | ```String``` | No |
                | token_target | ```String``` | No |
                """)
        ),
    ]

    private var groupName: String { Self.group.blocks[0].split(separator: " ").joined() }

    /// A value that a field can have; another one for another number.
    private func value(_ field: String, _ number: Int) -> String {
        switch field {
        case "baseurl": "https://service-\(number).example.ch/"
        case "rsd":
            #"{"homePageLink":"https://service-\#(number).example.ch","engineLink":"","apis":{"org.ietf.oauth2":{"apiLink":"o"}}}"#
        case "token_target": "https://service-\(number).example.ch/o"
        default: "text-\(number)"
        }
    }

    private func row(_ relation: String, _ number: Int = 1, without missing: String? = nil) throws -> JSON {
        let table = try #require(Self.tables.first { $0.name == relation }).table
        return .object(
            JSON.Object(
                table.rows.filter { $0[0] != missing }.map { (JSON.Name($0[0]), JSON.string(value($0[0], number))) }))
    }

    /// What a store is that has these rows.
    private func store(_ rows: [(relation: String, rows: [JSON])]) throws(Rejection) -> AuthorizingApp.Store {
        var content: JSON.Object = ["store": .string(groupName)]
        for (relation, rows) in rows { content[JSON.Name(relation)] = .array(rows) }
        let text = #"{"eduid":1,"sealed":""# + Base64URL.encode(content.encoded()) + #""}"#
        return try AuthorizingApp.Store(parsing: text, opening: AppSample.clear)
    }

    /// One row in each relation, in the order of the source.
    private func whole(_ change: (String, JSON) throws -> [JSON] = { [$1] }) throws -> [(
        relation: String, rows: [JSON]
    )] {
        try Self.tables.map { ($0.name, try change($0.name, row($0.name))) }
    }

    @Test("The four relations have the printed names, and the store the group's", .proves("DAT-1"))
    func namesOfRelations() throws {
        #expect(Self.relations.blocks.map { $0.split(separator: " ").joined() } == Self.tables.map(\.name))
        let store = try store(whole())
        let text = store.serialized(sealing: AppSample.clear)
        let sealed = try #require(try JSON(parsing: text)["sealed"]?.string)
        let content = try #require(JSON(parsing: Base64URL.decode(sealed)).object)
        // Beside the relations stand the store's own name and the number of its writing.
        let relations = content.filter { $0.value.array != nil }.map(\.name.text)
        #expect(relations == Self.tables.map(\.name))
        #expect(content.count == relations.count + 2 && content["revision"] != nil)
        #expect(content["store"]?.string == groupName)
        // What is written again has the printed fields, in their printed order.
        for (name, table) in Self.tables {
            let fields = content[JSON.Name(name)]?.array?.first?.object?.map(\.name.text)
            #expect(fields == table.rows.map { $0[0] })
        }
    }

    @Test("Every field is a string", .proves("DAT-3"))
    func types() throws {
        for (name, table) in Self.tables {
            for field in table.rows {
                #expect(field[1] == "String")
                let rows = try whole { relation, row in
                    guard relation == name, var members = row.object else { return [row] }
                    members[JSON.Name(field[0])] = 1
                    return [.object(members)]
                }
                #expect(throws: Rejection.self) { try store(rows) }
            }
        }
    }

    @Test("What is printed as key is the key: it is there, and comes once")
    func keys() throws {
        for (name, table) in Self.tables {
            let keys = table.rows.filter { $0[2] == "Yes" }.map { $0[0] }
            #expect(!keys.isEmpty)
            for key in keys {
                let without = try whole { relation, row in
                    relation == name ? [try self.row(name, without: key)] : [row]
                }
                #expect(throws: Rejection.self) { try store(without) }
            }
            // The same key twice is refused, whatever else is in the row; another key is another row.
            let twice = try whole { relation, row in relation == name ? [row, row] : [row] }
            #expect(throws: Rejection.self) { try store(twice) }
            for key in keys where name == "Tokens" {
                let other = try whole { relation, row in
                    guard relation == name, var members = row.object else { return [row] }
                    members[JSON.Name(key)] = .string(value(key, 2))
                    return [row, .object(members)]
                }
                #expect(try store(other).contents.tokens.count == 2)
            }
        }
    }
}
